#pragma once
/// \file
/// Notes about rows of words in shared memory. For most accesses between two barriers, the race check stores nothing
/// else.

#include <bit>
#include <cstdint>

namespace emulator::observers {

/// The words in a row of 32 that one instruction of one warp loaded or stored. Neighbouring lanes accessed neighbouring
/// words.
struct row_note {
  /// The warp in the high half, and in the low half the cell of lane 0's word, even if that lane isn't active.
  std::uint64_t place = 0;
  std::uint64_t time = 0;   ///< The program counter in the high half, and the stamp in the low half.
  std::uint32_t words = 0;  ///< A bit for each of the 32 words.

  [[nodiscard]] std::uint32_t warp() const { return static_cast<std::uint32_t>(place >> 32); }
  [[nodiscard]] std::uint32_t cell() const { return static_cast<std::uint32_t>(place); }
  [[nodiscard]] std::uint32_t pc() const { return static_cast<std::uint32_t>(time >> 32); }
  [[nodiscard]] std::uint32_t stamp() const { return static_cast<std::uint32_t>(time); }
};

/// Returns a note without words. Construct it in place, because a copy waits until its parts are written.
inline row_note note_at(std::uint32_t warp, std::uint32_t cell, std::uint32_t pc, std::uint32_t stamp) {
  return {std::uint64_t{warp} << 32 | cell, std::uint64_t{pc} << 32 | stamp, 0};
}

/// The state of 32 neighbouring words: the newest stamps, and notes.
///
/// If only a few contiguous accesses have used the words since the block's last barrier, the notes contain everything
/// that the shadow doesn't know yet. A barrier makes the notes obsolete. No word is in both notes for loads, or in both
/// notes for stores.
struct alignas(64) row_summary {
  std::uint32_t write = 0;        ///< Newest stamp of a write; if it is old enough, the shadow need not be read.
  std::uint32_t read = 0;         ///< Newest stamp in the first group of readers.
  std::uint32_t noted_since = 0;  ///< The block's floor when this row was added to `noted_rows::list`.
  std::uint32_t live = 0;         ///< A bit for each note that has been used since then.
  row_note notes[4];              ///< Two for loads, two for stores.
};

/// A load or an atomic that does not race with anything before it, and that has not been added to the groups of its
/// words yet. It is added when these groups are needed, or never if a barrier makes it obsolete first.
struct deferred_access {
  enum class pattern : std::uint16_t { row, one, scattered };

  row_note note;  ///< Its `words` aren't used; if the lanes are scattered, its cell isn't used either.
  std::uint32_t mask = 0;
  std::uint32_t warp_floor = 0;  ///< At the time of the access.
  pattern what = pattern::row;
  std::uint8_t words_per_lane = 1;
  bool changes = false;  ///< It is an atomic.
};

/// The rows of a block, and the list of those that have notes.
struct noted_rows {
  row_summary* rows = nullptr;    ///< Indexed by cell / 32.
  std::uint32_t* list = nullptr;  ///< Numbers of the rows that have got notes while the block's floor was `since`.
  std::uint32_t count = 0;
  std::uint32_t since = 0;  ///< The block's floor when `list` was begun. It has room for all rows.

  deferred_access* deferred = nullptr;  ///< In execution order; all since the block's floor became `deferred_since`.
  std::uint32_t deferred_count = 0;
  std::uint32_t deferred_since = 0;  ///< The block's floor when `deferred` was begun.
  std::uint32_t deferred_room = 0;   ///< The capacity of `deferred`.
};

/// A row of words that is to be noted.
struct row_to_note {
  row_note note;  ///< Its `words` aren't used.
  std::uint32_t mask = 0;
  std::uint32_t block_floor = 0;
  std::uint32_t warp_floor = 0;
  bool loads = false;
};

/// Returns true if one of the live notes `which` prevents `words` of a row from being noted, because it contains some
/// of these words, comes from other lanes, and isn't ordered before the new access.
inline bool is_disturbed(const row_summary& row, const row_to_note& n, std::uint32_t words, std::uint32_t which) {
  for (std::uint32_t m = which; m != 0; m &= m - 1) {
    const row_note& other = row.notes[std::countr_zero(m)];
    if ((other.words & words) == 0 || other.place == n.note.place) continue;
    if (other.warp() != n.note.warp() || other.stamp() >= n.warp_floor) return true;
  }
  return false;
}

/// Returns the note that `words` of a row are to be added to, or that they replace. Returns null if there may be a
/// race, or if no note is suitable.
[[gnu::always_inline]] inline row_note* place_in(row_summary& row, const row_to_note& n, std::uint32_t words) {
  row_note* const first = &row.notes[n.loads ? 0 : 2];
  if (row.write >= n.block_floor || row.read >= n.block_floor) return nullptr;
  if (row.noted_since != n.block_floor) return first;
  if (is_disturbed(row, n, words, row.live)) return nullptr;
  const std::uint32_t live = n.loads ? row.live : row.live >> 2;
  const auto is_alike = [&n](const row_note& note) { return note.time == n.note.time && note.place == n.note.place; };
  if ((live & 1u) == 0 || is_alike(first[0])) return &first[0];
  if ((live & 2u) == 0 || is_alike(first[1])) return &first[1];
  return (first[0].words & ~words) == 0 ? &first[0] : (first[1].words & ~words) == 0 ? &first[1] : nullptr;
}

/// Notes `words` of a row in `to`, which `place_in` has returned.
[[gnu::always_inline]] inline void write_note(noted_rows& all, row_summary& row, const row_to_note& n, row_note& to,
                                              std::uint32_t words) {
  const auto number = static_cast<unsigned>(&to - row.notes);
  if (row.noted_since != n.block_floor) {
    row.noted_since = n.block_floor;
    row.live = 1u << number;
    all.list[all.count++] = static_cast<std::uint32_t>(&row - all.rows);
    to.words = words;
  } else {
    const bool alike = to.time == n.note.time && to.place == n.note.place && (row.live >> number & 1u) != 0;
    to.words = (alike ? to.words : 0) | words;
    row.live |= 1u << number;
    row.notes[number ^ 1u].words &= ~words;
  }
  to.place = n.note.place;
  to.time = n.note.time;
}

/// The same as `note_row` for words that are in two rows.
[[gnu::noinline]] inline bool note_two_rows(noted_rows& all, row_summary* row, const row_to_note& n, std::uint32_t low,
                                            std::uint32_t high) {
  row_note* const in_low = place_in(row[0], n, low);
  if (in_low == nullptr) return false;
  row_note* const in_high = place_in(row[1], n, high);
  if (in_high == nullptr) return false;
  write_note(all, row[0], n, *in_low, low);
  write_note(all, row[1], n, *in_high, high);
  return true;
}

/// Notes a row of words. Returns false without adding a note if notes are not sufficient for it.
[[gnu::always_inline]] inline bool note_row(noted_rows& all, const row_to_note& n) {
  if (all.since != n.block_floor) {
    all.since = n.block_floor;
    all.count = 0;
  }
  const std::uint64_t words = std::uint64_t{n.mask} << n.note.cell() % 32;
  const auto low = static_cast<std::uint32_t>(words), high = static_cast<std::uint32_t>(words >> 32);
  row_summary* const row = &all.rows[n.note.cell() / 32 + (low == 0 ? 1 : 0)];
  if (low != 0 && high != 0) return note_two_rows(all, row, n, low, high);
  row_note* const in = place_in(*row, n, low | high);
  if (in == nullptr) return false;
  write_note(all, *row, n, *in, low | high);
  return true;
}

/// Returns true if a store since the block's last barrier prevents a load of `words` of a row from being deferred.
inline bool is_written(const row_summary& row, const row_to_note& n, std::uint32_t words) {
  constexpr std::uint32_t stores = 0xcu;
  return row.write >= n.block_floor ||
         (row.noted_since == n.block_floor && is_disturbed(row, n, words, row.live & stores));
}

/// Returns true if there is room for another deferred access. Begins a new list if a barrier has made the old one
/// obsolete.
inline bool can_defer(noted_rows& all, std::uint32_t block_floor) {
  if (all.deferred_since != block_floor) {
    all.deferred_since = block_floor;
    all.deferred_count = 0;
  }
  return all.deferred_count < all.deferred_room;
}

/// Defers a load of a row that `note_row` has refused. If it may race or there is no room, returns false without
/// deferring it.
[[gnu::noinline]] inline bool defer_row(noted_rows& all, const row_to_note& n) {
  if (!can_defer(all, n.block_floor)) return false;
  const std::uint64_t words = std::uint64_t{n.mask} << n.note.cell() % 32;
  const std::uint32_t part[2] = {static_cast<std::uint32_t>(words), static_cast<std::uint32_t>(words >> 32)};
  row_summary* const row = &all.rows[n.note.cell() / 32];
  for (unsigned k = 0; k < 2; ++k)
    if (part[k] != 0 && is_written(row[k], n, part[k])) return false;
  // After this, the rows accept no more notes, because all notes have to be older than the deferred load.
  for (unsigned k = 0; k < 2; ++k)
    if (part[k] != 0 && row[k].read < n.note.stamp()) row[k].read = n.note.stamp();
  all.deferred[all.deferred_count++] = {n.note, n.mask, n.warp_floor, deferred_access::pattern::row, 1, false};
  return true;
}

}  // namespace emulator::observers
