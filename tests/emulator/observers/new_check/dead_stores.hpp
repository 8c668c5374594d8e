#pragma once
/// \file
/// A check that is not part of the emulator: stores to shared memory that are not read before the block ends.

#include <cstdint>
#include <map>

#include "emulator/emulator.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/observer.hpp"

namespace emulator::observers {

class dead_stores : public observer {
 public:
  struct of_launch : public launch_part {
    using launch_part::launch_part;
    void fill(launch_report& report) const {
      for (const auto& [pc, bytes] : dead_bytes) {
        const std::uint32_t line = launch_.facts().instructions[pc].ptx_line;
        // A check in the emulator would add a kind to finding.hpp. This one reuses the kind for the opposite mistake, a
        // read that was never written.
        report.findings.push_back({.kind = finding_kind::uninitialized_shared, .line = line, .count = bytes});
      }
    }
    std::map<std::uint32_t, std::uint64_t> dead_bytes;  ///< Indexed by the program counter of the store.
  };

  using observer::observer;

  void begin_block() { unread_.clear(); }
  void end_block(std::uint64_t, bool) {
    for (const auto& [address, pc] : unread_) ++dead_bytes_[pc];
  }
  void flush(of_launch& launch) {
    for (const auto& [pc, bytes] : dead_bytes_) launch.dead_bytes[pc] += bytes;
    dead_bytes_.clear();
  }

  void access_shared(std::uint32_t, const memory_event& event, const access_shape&) {
    for (const unsigned l : lanes_in(event.mask)) {
      for (std::uint64_t at = event.addresses[l]; at < event.addresses[l] + event.bytes_per_lane; ++at) {
        if (event.access == access_kind::store)
          unread_[at] = event.pc;
        else
          unread_.erase(at);
      }
    }
  }

 private:
  std::map<std::uint64_t, std::uint32_t> unread_;  ///< For each byte: the program counter of the last store.
  std::map<std::uint32_t, std::uint64_t> dead_bytes_;
};

}  // namespace emulator::observers
