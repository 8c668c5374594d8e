#include "emulator/simt/deadlock.hpp"

#include <algorithm>
#include <cstring>

#include "emulator/simt/block.hpp"
#include "emulator/simt/interpreter.hpp"
#include "emulator/simt/other_order.hpp"

namespace emulator::simt {
namespace {

/// A warp's clock is stopped after `first_clock_patience` turns in which it read the clock and nothing changed. If no
/// cycle is found within `turns_without_clock` turns, the clock runs again, because the warp's loop may end when the
/// clock has advanced. After that, the clock is stopped again after twice the number of turns, up to
/// `max_clock_patience`.
constexpr std::uint32_t first_clock_patience = 4, max_clock_patience = 256, turns_without_clock = 16;

bool waits_at_join_point(const warp& w) {
  return std::any_of(w.join_points.begin(), w.join_points.end(),
                     [](const join_point& f) { return f.pc != no_pc && f.arrived != 0; });
}

/// \param count_turns  true if lanes wait for a path to use up its turns, so that the number of its turns is part of
/// the state
bool same(const path& a, const path& b, bool count_turns) {
  return a.mask == b.mask && a.pc == b.pc && a.join == b.join && a.state == b.state && a.waits_for == b.waits_for &&
         (!count_turns || std::min(a.turns, turn_patience) == std::min(b.turns, turn_patience));
}

bool same(const join_point& a, const join_point& b) {
  return (a.pc == no_pc && b.pc == no_pc) || a == b;
}

}  // namespace

bool warp_watch::equals(const warp& w, std::uint32_t register_begin) const {
  return current_ == w.current && carry_ == w.carry &&
         std::equal(paths_.begin(), paths_.end(), w.paths.begin(), w.paths.end(),
                    [this](const path& a, const path& b) { return same(a, b, any_path_waited_); }) &&
         std::equal(join_points_.begin(), join_points_.end(), w.join_points.begin(), w.join_points.end(),
                    [](const join_point& a, const join_point& b) { return same(a, b); }) &&
         calls_ == w.calls && std::memcmp(file_.data(), w.file + register_begin, file_.size()) == 0;
}

void warp_watch::keep(const warp& w, std::uint32_t register_begin, std::uint32_t file_bytes, const change_note& note) {
  file_.assign(w.file + register_begin, w.file + file_bytes);
  paths_ = w.paths;
  join_points_ = w.join_points;
  calls_ = w.calls;
  current_ = w.current;
  carry_ = w.carry;
  kept_at_ = note.count;
  turns_ = 0;
  any_path_waited_ = waits_at_join_point(w);
}

void warp_watch::end_of_turn(const warp& w, std::uint32_t register_begin, std::uint32_t file_bytes, change_note& note) {
  const polled_place polled = note.polled;
  const bool clock = note.clock;
  note.counted = note.clock = false;
  note.polled.pc = no_pc;
  if (kept_at_ != note.count) {
    keep(w, register_begin, file_bytes, note);
    renew_at_ = 1;
    stopped_at_ = never;
    clock_turns_ = 0;
    clock_patience_ = first_clock_patience;
    return;
  }
  const bool stopped = stopped_at_ == note.count;
  if (stopped && ++stopped_turns_ > turns_without_clock && !circles(note)) stopped_at_ = never;
  if (!stopped && clock && ++clock_turns_ == clock_patience_) {
    clock_turns_ = stopped_turns_ = 0;
    clock_patience_ = std::min(2 * clock_patience_, max_clock_patience);
    stopped_at_ = note.count;
    stopped_clock_ = w.owner->clock();
  }
  if (clock && !(stopped && stopped_at_ == note.count)) {  // its state depends on a running clock
    keep(w, register_begin, file_bytes, note);
    renew_at_ = 1;
    return;
  }
  any_path_waited_ |= waits_at_join_point(w);
  if (equals(w, register_begin)) {
    circles_at_ = note.count;
    polled_ = polled.warp == w.index ? polled : polled_place{};
  } else if (++turns_ == renew_at_) {
    keep(w, register_begin, file_bytes, note);
    renew_at_ *= 2;
  }
}

template <bool Watched>
[[gnu::noinline, gnu::cold]] void interpreter<Watched>::note_changes_from_now_on(const block& b) {
  if (!watches_.empty()) return;
  watches_.resize(b.warps.size());
  memory_.note_changes(note_);
  watches_changes_ = true;
  note_->changed();
}

template <bool Watched>
[[gnu::noinline, gnu::cold]] void interpreter<Watched>::watch_for_circles(block& b, warp& w, bool stands_aside) {
  note_changes_from_now_on(b);
  warp_watch& watch = watches_[w.index];
  if (stands_aside && !watch.due()) return;
  watch.end_of_turn(w, b.launch->code->register_begin, b.launch->code->file_bytes, *note_);
}

template <bool Watched>
[[gnu::noinline, gnu::cold]] bool interpreter<Watched>::makes_no_progress(const block& b) const {
  return std::all_of(b.warps.begin(), b.warps.end(), [this](const warp& w) {
    const bool waits = std::none_of(w.paths.begin(), w.paths.end(), [](const path& s) {
      return s.state == path_state::ready || s.state >= path_state::held;
    });
    return w.live == 0 || waits || (!watches_.empty() && watches_[w.index].circles(*note_));
  });
}

template <bool Watched>
[[gnu::noinline, gnu::cold]] bool interpreter<Watched>::waits_for_time(const block& b) const {
  return !watches_.empty() && std::any_of(b.warps.begin(), b.warps.end(), [this](const warp& w) {
    return w.live != 0 && watches_[w.index].waits_for_time(*note_);
  });
}

template <bool Watched>
[[gnu::noinline, gnu::cold]] void interpreter<Watched>::read_clock(const block& b, warp& w) {
  w.clock = b.clock();
  if (b.launch->order != nullptr) b.launch->order->read_clock();
  if (!watches_changes_) return;
  note_->clock = true;
  w.clock = watches_[w.index].clock(w.clock, *note_);
}

template <bool Watched>
void interpreter<Watched>::share_changes(change_note& note) {
  note_ = &note;
  watches_.clear();
  watches_changes_ = false;
  memory_.note_changes(nullptr);
}

EMULATOR_OF_BOTH(void, note_changes_from_now_on(const block&));
EMULATOR_OF_BOTH(void, watch_for_circles(block&, warp&, bool));
EMULATOR_OF_BOTH(bool, waits_for_time(const block&) const);
EMULATOR_OF_BOTH(void, read_clock(const block&, warp&));
EMULATOR_OF_BOTH(bool, makes_no_progress(const block&) const);
EMULATOR_OF_BOTH(void, share_changes(change_note&));

}  // namespace emulator::simt
