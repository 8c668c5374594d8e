#pragma once
/// \file
/// Warps that run and get nowhere. A warp that is in the same state as before, while no memory has changed in between,
/// does the same for ever: it waits for somebody else to change what it looks at. Of a warp that reads the clock all
/// the time the clock is stopped for a while, so that its state can come again; then it waits for that or for time to
/// pass.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/ptx/module.hpp"
#include "emulator/simt/warp.hpp"

namespace emulator::simt {

/// What a warp looks at again and again: the last volatile, ordered or atomic access of its turn.
struct polled_place {
  std::uint32_t pc = no_pc;  ///< no_pc: none.
  std::uint32_t warp = 0;
  std::uint32_t lanes = 0;
  std::uint32_t bytes = 0;
  ptx::state_space space = ptx::state_space::global;
  std::uint64_t address = 0;  ///< Of the lowest lane.
};

/// Counts what may end somebody's wait: bytes that changed, barriers, exits. Blocks that take turns on one host thread
/// share it.
struct change_note {
  std::uint64_t count = 0;
  bool counted = false;  ///< Something has changed since a warp was last looked at: more of it need not be counted.
  bool clock = false;    ///< Since then, a clock was read.
  polled_place polled;   ///< Since then.
  polled_place last;     ///< The last one of all.

  void changed() {
    ++count;
    counted = true;
  }
};

/// Compares a warp at the ends of its turns with what it was at an earlier one (Brent's way to find a cycle).
class warp_watch {
 public:
  /// The warp has used up its turn.
  /// \param register_begin, file_bytes  of the program: what of the register file can change
  void end_of_turn(const warp& w, std::uint32_t register_begin, std::uint32_t file_bytes, change_note& note);
  /// Returns what the warp sees where the clock is at `now`.
  [[nodiscard]] std::uint64_t clock(std::uint64_t now, const change_note& note) const {
    return stopped_at_ == note.count ? std::min(stopped_clock_, now) : now;
  }
  /// Says whether the warp, which goes round in circles, may be waiting for time to pass.
  [[nodiscard]] bool waits_for_time(const change_note& note) const {
    return circles(note) && stopped_at_ == note.count;
  }
  /// Says whether the warp has been found to go round in circles, and nothing has changed since.
  [[nodiscard]] bool circles(const change_note& note) const { return circles_at_ == note.count; }
  [[nodiscard]] const polled_place& polled() const { return polled_; }
  /// For warps that stand aside after a few instructions: whether it is time to look.
  [[nodiscard]] bool due() { return ++asides_ % 256 == 0; }

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  [[nodiscard]] bool equals(const warp& w, std::uint32_t register_begin) const;
  void keep(const warp& w, std::uint32_t register_begin, std::uint32_t file_bytes, const change_note& note);

  std::vector<std::byte> file_;
  std::vector<split> splits_;
  std::vector<frame> frames_;
  std::vector<call_record> calls_;
  std::uint32_t current_ = 0, carry_ = 0;
  std::uint64_t kept_at_ = never;  ///< The note's count then.
  std::uint64_t circles_at_ = never;
  std::uint32_t turns_ = 0, renew_at_ = 1;
  std::uint32_t asides_ = 0;
  bool somebody_waited_ = false;      ///< At a meeting point, at the end of any turn since.
  std::uint64_t stopped_at_ = never;  ///< The note's count when the warp's clock was stopped.
  std::uint64_t stopped_clock_ = 0;
  std::uint32_t clock_turns_ = 0;     ///< In which nothing changed and the clock was read, since it last stood.
  std::uint32_t clock_patience_ = 0;  ///< After how many of these it is stopped.
  std::uint32_t stopped_turns_ = 0;
  polled_place polled_;
};

}  // namespace emulator::simt
