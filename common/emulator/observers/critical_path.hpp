#pragma once
/// \file
/// How long a block would take if nothing else ran: its longest chain of instructions that wait for each other.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/observers/event.hpp"

namespace emulator::observers {

/// Follows some blocks of a launch, one after the other: when each instruction of each warp could begin, if nothing but
/// this block ran. An instruction waits for its operands. The compiler is taken to move loads to the front of a
/// stretch, so that within one an instruction waits for nothing else; a stretch ends at a barrier, at the end of a
/// loop's turn, and at an access that others may see. Between two block barriers the block also needs as many cycles
/// as its busiest scheduler has to issue instructions.
///
/// A time is kept as cycles and, apart from them, waits for global memory, whose length depends on what else runs.
class critical_path {
 public:
  /// \param facts  must live as long as this
  critical_path(const kernel_facts& facts, const path_latencies& latencies);

  /// \param counts  false of a block that is followed for its length only: it is no example of the others
  void begin_block(std::uint32_t warps, bool counts);
  /// Ends the block, and adds its path to `total`.
  void end_block();
  /// Events of this warp follow.
  void turn_of(std::uint32_t warp) { warp_ = warp; }
  /// The current warp issues the instruction at `pc` for `mask`.
  void instruction(std::uint32_t pc, std::uint32_t mask);
  /// The instruction that was issued last is this access. \param passes  of shared memory, beyond the first
  void memory(const memory_event& event, unsigned passes);
  /// A block barrier opens for the lanes `masks[warp]` of each warp.
  void barrier(std::span<const std::uint32_t> masks);

  /// What came of all blocks that were followed.
  [[nodiscard]] const path_report& total() const { return total_; }

 private:
  struct moment {
    double cycles = 0, waits = 0;
  };
  struct running {
    moment floor;               ///< When the stretch began.
    moment last;                ///< When the latest instruction began.
    moment begun;               ///< When the current one did.
    std::vector<moment> ready;  ///< By register.
  };
  static constexpr unsigned schedulers = 4;

  [[nodiscard]] double length(const moment& m) const { return m.cycles + m.waits * latencies_.global; }
  void wait_for(moment& m, const moment& other) const {
    if (length(other) > length(m)) m = other;
  }
  [[nodiscard]] double latency_of(const instruction_facts& i) const;
  void set_results(running& w, std::uint32_t pc, const moment& m);
  enum class place { first_cache, second_cache, memory };  // the further, the later
  place place_of(std::uint64_t sector);
  place furthest_of(const memory_event& event);
  /// The block has come to a place where all warps wait for each other.
  moment end_phase();

  const kernel_facts& facts_;
  path_latencies latencies_;
  std::vector<running> warps_;
  std::uint32_t warp_ = 0;
  bool counts_ = true;
  moment phase_;                    ///< When the last block barrier opened.
  double issued_[schedulers] = {};  ///< Cycles that each scheduler has been busy since.
  /// Sectors that it has read, and how many it had fetched when it read them last.
  std::unordered_map<std::uint64_t, std::uint64_t> sectors_;
  std::uint64_t fetched_ = 0;
  path_report total_;
};

}  // namespace emulator::observers
