#pragma once
/// \file
/// Detects warps that run without making progress. If a warp returns to an earlier state and no memory has changed in
/// between, it will repeat itself forever, unless something changes the memory that it polls. If a warp keeps reading
/// the clock, its clock is stopped for a while so that its state can repeat. Such a warp is waiting either for a change
/// or for time to pass.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/ptx/module.hpp"
#include "emulator/simt/warp.hpp"

namespace emulator::simt {

/// The place that a warp polls: the last volatile, ordered or atomic access of its turn.
struct polled_place {
  std::uint32_t pc = no_pc;  ///< no_pc: none.
  std::uint32_t warp = 0;
  std::uint32_t lanes = 0;
  std::uint32_t bytes = 0;
  ptx::state_space space = ptx::state_space::global;
  std::uint64_t address = 0;  ///< Address that the lowest active lane polls.
};

/// Counts events that may end a wait: bytes that changed, barriers, exits. Blocks that take turns on one host thread
/// share it.
struct change_note {
  std::uint64_t count = 0;
  bool counted = false;  ///< Something has changed since the last end of a warp's turn, so that further changes need
                         ///< not be counted.
  bool clock = false;    ///< A clock was read since the last end of a turn.
  polled_place polled;   ///< The last poll since the last end of a turn.
  polled_place last;     ///< The last poll, even if turns have ended since.

  void changed() {
    ++count;
    counted = true;
  }
};

/// Compares a warp's state at the end of each turn with its state at the end of an earlier turn (Brent's algorithm for
/// cycle detection).
class warp_watch {
 public:
  /// Called when the warp has used up its turn.
  /// \param register_begin, file_bytes  the part of the program's register file that can change
  void end_of_turn(const warp& w, std::uint32_t register_begin, std::uint32_t file_bytes, change_note& note);
  /// Returns the clock as the warp sees it at time `now`.
  [[nodiscard]] std::uint64_t clock(std::uint64_t now, const change_note& note) const {
    return stopped_at_ == note.count ? std::min(stopped_clock_, now) : now;
  }
  /// Returns true if the warp repeats itself and may be waiting for time to pass.
  [[nodiscard]] bool waits_for_time(const change_note& note) const {
    return circles(note) && stopped_at_ == note.count;
  }
  /// Returns true if the warp has been found to repeat itself and nothing has changed since.
  [[nodiscard]] bool circles(const change_note& note) const { return circles_at_ == note.count; }
  [[nodiscard]] const polled_place& polled() const { return polled_; }
  /// Returns true on every 256th call. Warps that yield after a few instructions are compared only that often.
  [[nodiscard]] bool due() { return ++asides_ % 256 == 0; }

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  [[nodiscard]] bool equals(const warp& w, std::uint32_t register_begin) const;
  void keep(const warp& w, std::uint32_t register_begin, std::uint32_t file_bytes, const change_note& note);

  std::vector<std::byte> file_;
  std::vector<path> paths_;
  std::vector<join_point> join_points_;
  std::vector<call_record> calls_;
  std::uint32_t current_ = 0, carry_ = 0;
  std::uint64_t kept_at_ = never;  ///< The note's count when the state was stored.
  std::uint64_t circles_at_ = never;
  std::uint32_t turns_ = 0, renew_at_ = 1;
  std::uint32_t asides_ = 0;
  bool any_path_waited_ = false;  ///< A path was waiting at a reconvergence point when the state was stored, or at the
                                  ///< end of a turn since then.
  std::uint64_t stopped_at_ = never;  ///< The note's count when the warp's clock was stopped.
  std::uint64_t stopped_clock_ = 0;
  std::uint32_t clock_turns_ = 0;  ///< Turns since the clock was last stopped in which it was read and nothing changed.
  std::uint32_t clock_patience_ = 0;  ///< Number of such turns after which the clock is stopped.
  std::uint32_t stopped_turns_ = 0;
  polled_place polled_;
};

}  // namespace emulator::simt
