#pragma once
/// \file
/// How long a block would take if nothing else ran: its longest chain of instructions that wait for each other.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/observers/access_shape.hpp"
#include "emulator/observers/event.hpp"

namespace emulator::observers {

class lane_addresses;

/// Which sectors of global memory a block has read, and when last.
class sectors_read {
 public:
  struct reading {
    std::uint64_t sector = 0;
    std::uint32_t when = 0;   ///< The caller's.
    std::uint32_t round = 0;  ///< Of `forget`; else it is none.
  };
  /// Forgets all.
  void forget();
  /// Returns the reading of a sector, and adds it where there is none: then `is_new`. Valid until the next call.
  reading& find_or_add(std::uint64_t sector, bool& is_new);
  [[nodiscard]] bool contains(std::uint64_t sector) const;

 private:
  /// Where it stands, or would. The four sectors of a line stand side by side.
  [[nodiscard]] std::size_t place_of(std::uint64_t sector) const;
  void grow();

  std::vector<reading> readings_ = std::vector<reading>(128);  ///< A power of two, at most half of them taken.
  std::size_t count_ = 0;
  std::uint32_t round_ = 1;
};

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
  /// The current warp issues the `count` instructions from `pc` on for `mask`.
  void run(std::uint32_t pc, std::uint32_t count, std::uint32_t mask);
  /// The instruction that was issued last is this access. \param a  of the event \param passes  of shared memory,
  /// beyond the first
  void memory(const memory_event& event, const lane_addresses& a, unsigned passes);
  /// A block barrier opens for the lanes `masks[warp]` of each warp.
  void barrier(std::span<const std::uint32_t> masks);

  /// What came of all blocks that were followed.
  [[nodiscard]] const path_report& total() const { return total_; }
  /// Begins a new one.
  void forget_total() { total_ = {}; }

 private:
  struct moment {
    double cycles = 0, waits = 0;
    double length = 0;  ///< Of both together: the later moment has the larger one.
  };
  /// What is to be known of an instruction.
  struct step {
    double latency = 0, issue = 0;
    std::uint32_t registers = 0;  ///< In `registers_`: those that it reads, then those that it sets.
    std::uint16_t reads = 0, sets = 0;
    bool free = false;  ///< No instruction on the hardware.
    bool ends_stretch = false;
  };
  struct running {
    moment floor;               ///< When the stretch began.
    moment last;                ///< When the latest instruction began.
    moment begun;               ///< When the current one did.
    std::vector<moment> ready;  ///< By register.
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
  enum class place { first_cache, second_cache, memory };  // the further, the later
  place place_of(std::uint64_t sector);
  place furthest_of(const memory_event& event, const access_shape& shape);
  void end_load(std::uint32_t pc, bool in_shared, unsigned passes, place from);
  /// The block has come to a place where all warps wait for each other.
  moment end_phase();

  const kernel_facts& facts_;
  path_latencies latencies_;
  std::vector<step> steps_;  ///< By program counter.
  std::vector<std::uint32_t> registers_;
  std::vector<running> warps_;
  std::uint32_t warp_ = 0;
  bool counts_ = true;
  moment phase_;                    ///< When the last block barrier opened.
  double issued_[schedulers] = {};  ///< Cycles that each scheduler has been busy since.
  sectors_read sectors_;            ///< When: how many it had fetched then.
  std::uint32_t fetched_ = 0;       ///< Modulo 2^32.
  std::uint32_t sectors_kept_ = 0;  ///< By the multiprocessor's cache.
  path_report total_;
};

}  // namespace emulator::observers
