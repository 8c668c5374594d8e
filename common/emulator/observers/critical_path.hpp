#pragma once
/// \file
/// The critical path of a block: how long it would take if nothing else ran.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/observers/access_shape.hpp"
#include "emulator/observers/event.hpp"

namespace emulator::observers {

class lane_addresses;

/// The sectors of global memory that a block has read, and when it last read each.
class sectors_read {
 public:
  struct reading {
    std::uint64_t sector = 0;
    std::uint32_t when = 0;   ///< The unit of time is the caller's.
    std::uint32_t round = 0;  ///< The entry is empty unless this is the current round (`forget` begins a new one).
  };
  /// Removes all entries.
  void forget();
  /// Returns the entry of a sector. If there is none, adds it and sets `is_new`. The reference is valid until the next
  /// call.
  reading& find_or_add(std::uint64_t sector, bool& is_new);
  [[nodiscard]] bool contains(std::uint64_t sector) const;

 private:
  /// Returns the index of the entry, or of the free entry that it would use. The four sectors of a line are next to
  /// each other.
  [[nodiscard]] std::size_t place_of(std::uint64_t sector) const;
  void grow();

  /// The size is a power of two, and at most half of the entries are used.
  std::vector<reading> readings_ = std::vector<reading>(128);
  std::size_t count_ = 0;
  std::uint32_t round_ = 1;
};

/// Follows some blocks of a launch, one after the other, and computes when each instruction of each warp could begin if
/// only this block ran. An instruction waits for its operands. We assume that the compiler moves loads to the start of
/// a scheduling region (called a stretch here), so an instruction waits for nothing else within its region. A region
/// ends at a barrier, at the end of a loop iteration, and at an access that other threads may see. In addition, the
/// time between two block barriers is at least the number of cycles that the busiest scheduler needs to issue its
/// instructions.
///
/// A time has two parts, cycles and the number of waits for global memory, because the length of such a wait depends on
/// what else runs.
class critical_path {
 public:
  /// \param facts  must outlive this object
  critical_path(const kernel_facts& facts, const path_latencies& latencies);

  /// \param counts  false if only the length of the block's path is wanted, because the block isn't representative
  void begin_block(std::uint32_t warps, bool counts);
  /// Ends the block and adds its path to `total`.
  void end_block();
  /// The following events belong to this warp.
  void turn_of(std::uint32_t warp) { warp_ = warp; }
  /// The current warp issues `count` instructions for the lanes in `mask`, starting at `pc`.
  void run(std::uint32_t pc, std::uint32_t count, std::uint32_t mask);
  /// The instruction that was issued last is this access.
  /// \param a       the addresses of the event
  /// \param passes  the number of passes of an access to shared memory after the first
  void memory(const memory_event& event, const lane_addresses& a, unsigned passes);
  /// A block barrier opens for the lanes `masks[warp]` of each warp.
  void barrier(std::span<const std::uint32_t> masks);

  /// Returns the result for all blocks that were followed.
  [[nodiscard]] const path_report& total() const { return total_; }
  /// Resets that result.
  void forget_total() { total_ = {}; }

 private:
  struct moment {
    double cycles = 0, waits = 0;
    double length = 0;  ///< Cycles and waits together; used to compare moments.
  };
  /// The data of an instruction that the path depends on.
  struct step {
    double latency = 0, issue = 0;
    /// Index in `registers_`: first the registers that it reads, then those that it sets.
    std::uint32_t registers = 0;
    std::uint16_t reads = 0, sets = 0;
    bool free = false;  ///< The hardware executes no instruction for it.
    bool ends_stretch = false;
  };
  struct running {
    moment floor;               ///< The start of the scheduling region.
    moment last;                ///< When the latest instruction began.
    moment begun;               ///< When the current instruction began.
    std::vector<moment> ready;  ///< Indexed by register.
  };
  static constexpr unsigned schedulers = 4;

  [[nodiscard]] moment at(double cycles, double waits) const {
    return {cycles, waits, cycles + waits * latencies_.global};
  }
  static void wait_for(moment& m, const moment& other) {
    if (other.length > m.length) m = other;
  }
  [[nodiscard]] double latency_of(const instruction_facts& i) const;
  void set_results(running& w, const step& s, const moment& m) const;
  enum class place { first_cache, second_cache, memory };  // from the nearest to the furthest
  place place_of(std::uint64_t sector);
  place furthest_of(const memory_event& event, const access_shape& shape);
  void end_load(std::uint32_t pc, bool in_shared, unsigned passes, place from);
  /// Ends the phase up to a point at which all warps wait for each other, and returns the moment of that point.
  moment end_phase();

  const kernel_facts& facts_;
  path_latencies latencies_;
  std::vector<step> steps_;  ///< Indexed by program counter.
  std::vector<std::uint32_t> registers_;
  std::vector<running> warps_;
  std::uint32_t warp_ = 0;
  bool counts_ = true;
  moment phase_;                    ///< When the last block barrier opened.
  double issued_[schedulers] = {};  ///< Busy cycles of each scheduler since then.
  sectors_read sectors_;            ///< Their time is the value of `fetched_`.
  std::uint32_t fetched_ = 0;       ///< Number of sectors fetched so far, modulo 2^32.
  std::uint32_t sectors_kept_ = 0;  ///< The capacity of the SM's L1 cache for this block.
  path_report total_;
};

}  // namespace emulator::observers
