// The fast paths of the race check, which handle nearly all accesses. If a fast path cannot rule out a race, it does
// nothing, and race_check.cpp handles the whole access (`access_row` below does so for a row of words).

#include <bit>

#include "emulator/observers/race_check.hpp"
#include "emulator/observers/race_lanes.hpp"

namespace emulator::observers {

/// Adds the lanes that load a row to the groups of readers.
template <unsigned Shift>
void race_check::join_row(const row_at_hand& here, std::uint32_t pc, std::size_t cell, std::uint32_t stamp) {
  const request r{.pc = pc, .warp = here.warp, .block_floor = here.block_floor, .warp_floor = here.warp_floor};
  for (std::size_t i = 0; i < warp_size << Shift; ++i) {
    const auto lane = static_cast<unsigned>(i >> Shift);
    if ((here.mask >> lane & 1u) != 0) add_to_groups(r, words_.readers, cell + i, stamp, 1u << lane);
  }
}

/// Notes a load of a row. \param others_read  true if other lanes may have read a lane's word since the last barrier
template <unsigned Shift>
void race_check::read_row(const row_at_hand& here, std::uint32_t pc, std::size_t cell, std::uint32_t stamp,
                          bool others_read) {
  if (others_read) return join_row<Shift>(here, pc, cell, stamp);
  shadow_groups::group& first = words_.readers.of[0];
  fill<Shift>(here.mask, stamp, 0, &first.stamp[cell]);
  fill<Shift>(here.mask, access_info(pc, access_level::ordinary, here.warp).bits(), 0, &first.info[cell]);
  fill_lane_bits<Shift>(here.mask, &first.lanes[cell]);
  first.newest = std::max(first.newest, stamp);
}

inline void race_check::make_room_to_defer() {
  if (!can_defer(noted_, order_.block_floor())) settle_deferred();
}

/// Defers adding lanes to the groups of their words. The lanes have the same stamp and race with nothing.
void race_check::defer(const deferred_access& one) {
  make_room_to_defer();
  deferred_[noted_.deferred_count++] = one;
}

/// The same for scattered lanes.
void race_check::defer(const deferred_access& one, const word_cells& cells) {
  defer(one);
  if (deferred_cells_.empty()) deferred_cells_.resize(deferred_.size());
  deferred_cells_[noted_.deferred_count - 1] = cells;
}

/// The same as `access` for ordinary loads and atomics by scattered lanes, if no race is possible; else returns false.
bool race_check::defer_scattered(const request& r, const access_shape& shape) {
  const unsigned words = r.event->bytes_per_lane / 4;
  const bool changes = r.level == access_level::strong && r.event->access != access_kind::load && !has_fences_;
  if (words == 0 || words_in_flight_ != 0 || any_split_ || !order_.same_stamps(r.warp) ||
      !(changes || (r.reads && r.level == access_level::ordinary)) || shape.what != access_shape::pattern::scattered)
    return false;
  if (changes) {
    if (words_.atomics.size() < words_.write_stamp.size()) words_.atomics.resize(words_.write_stamp.size());
    // All deferred accesses are either loads or atomics. Loads have to be in the shadow before an atomic looks for them
    // there.
    if (noted_.deferred_count != 0 && !deferred_[0].changes) settle_deferred();
  }
  alignas(64) word_cells cells;
  find_cells(*r.event, cells);
  const std::size_t last_row = (cells.high + words - 1) / 32;
  std::uint32_t newest_write = 0;
  for (std::size_t k = cells.low / 32; k <= last_row; ++k) newest_write = std::max(newest_write, rows_[k].write);
  const bool surely_none = r.reads && newest_write < r.block_floor && words_.atomics.of[0].newest < r.block_floor;
  if (!surely_none && suspicious_cells(r, cells, words)) return false;
  const std::uint32_t stamp = r.stamps[shape.first];
  defer({note_at(r.warp, 0, r.pc, stamp), r.event->mask, r.warp_floor, deferred_access::pattern::scattered,
         static_cast<std::uint8_t>(words), changes},
        cells);
  if (changes) {
    words_.atomics.of[0].newest = std::max(words_.atomics.of[0].newest, stamp);
    return true;
  }
  for (std::size_t k = cells.low / 32; k <= last_row; ++k) rows_[k].read = std::max(rows_[k].read, stamp);
  return true;
}

void race_check::join_deferred() {
  const std::uint32_t count = noted_.deferred_count;
  noted_.deferred_count = 0;
  if (noted_.deferred_since != order_.block_floor()) return;
  for (std::uint32_t k = 0; k < count; ++k) {
    const deferred_access& one = deferred_[k];
    const std::uint32_t warp = one.note.warp(), cell = one.note.cell(), pc = one.note.pc(), stamp = one.note.stamp();
    if (one.what == deferred_access::pattern::row) {
      settle_row(rows_[cell / 32]);
      settle_row(rows_[cell / 32 + (cell % 32 != 0 ? 1 : 0)]);
      const row_at_hand here{warp, one.mask, order_.block_floor(), one.warp_floor};
      const shadow_groups::group& first = words_.readers.of[0];
      const bool others_read = late_group<0>(here, &first.stamp[cell], &first.info[cell], &first.lanes[cell]) != 0;
      read_row<0>(here, pc, cell, stamp, others_read);
      continue;
    }
    const memory_event event{.pc = pc, .mask = one.mask};
    std::uint32_t stamps[warp_size];
    std::fill_n(stamps, warp_size, stamp);
    const request r{.event = &event,
                    .pc = pc,
                    .warp = warp,
                    .block_floor = order_.block_floor(),
                    .warp_floor = one.warp_floor,
                    .level = one.changes ? access_level::strong : access_level::ordinary,
                    .stamps = stamps};
    if (one.what == deferred_access::pattern::one) add_to_groups(r, words_.readers, cell, stamp, one.mask);
    if (one.what != deferred_access::pattern::scattered) continue;
    for (unsigned word = 0; word < one.words_per_lane; ++word)
      join_cells(r, deferred_cells_[k], word, one.changes ? words_.atomics : words_.readers);
  }
}

/// The same as `access_scattered` for a load of one word per lane if all words are among 32 neighbouring ones; else
/// returns false.
[[gnu::noinline]] bool race_check::load_window(const row_at_hand& here, const memory_event& event,
                                               const access_shape& shape, std::uint32_t stamp) {
  const std::uint64_t low = shape.low, high = shape.high;
  if (high - low >= warp_size * 4) return false;
  const std::size_t cell = low / 4 + padding;
  row_summary* const first_row = &rows_[cell / 32];
  row_summary* const last_row = &rows_[(high / 4 + padding) / 32];
  settle_row(*first_row);
  settle_row(*last_row);
  if (std::max(first_row->write, last_row->write) >= here.block_floor) {
    std::uint32_t lanes[warp_size] = {};
    for (const unsigned l : lanes_in(event.mask)) lanes[(event.addresses[l] - low) / 4] |= 1u << l;
    if (late_writes_of_others(here, &words_.write_stamp[cell], &words_.write_info[cell], lanes) != 0) return false;
  }
  alignas(64) word_cells cells;
  find_cells(event, cells);
  defer({note_at(here.warp, 0, event.pc, stamp), here.mask, here.warp_floor, deferred_access::pattern::scattered, 1,
         false},
        cells);
  first_row->read = std::max(first_row->read, stamp);
  last_row->read = std::max(last_row->read, stamp);
  return true;
}

void race_check::settle_row(row_summary& row) {
  if (row.noted_since != order_.block_floor()) return;
  const auto first_cell = static_cast<std::uint32_t>(&row - rows_.data()) * 32;
  shadow_groups::group& first = words_.readers.of[0];
  for (unsigned number = 0; number < 4; ++number) {
    row_note& note = row.notes[number];
    if ((row.live >> number & 1u) == 0 || note.words == 0) continue;
    const std::uint32_t cell = note.cell(), stamp = note.stamp();
    // Word l belongs to lane `first_cell + l - cell`.
    const std::uint32_t lanes =
        cell < first_cell ? note.words << (first_cell - cell) : note.words >> (cell - first_cell);
    const bool reads = number < 2;
    const access_info info(note.pc(), access_level::ordinary, reads ? note.warp() : note.warp() * warp_size);
    fill<0>(lanes, stamp, 0, reads ? &first.stamp[cell] : &words_.write_stamp[cell]);
    fill<0>(lanes, info.bits(), reads ? 0 : 1, reads ? &first.info[cell] : &words_.write_info[cell]);
    if (reads) {
      fill_lane_bits<0>(lanes, &first.lanes[cell]);
      first.newest = std::max(first.newest, stamp);
    }
    std::uint32_t& newest = reads ? row.read : row.write;
    newest = std::max(newest, stamp);
    note.words = 0;
  }
}

void race_check::settle_notes() {
  if (noted_.count == 0) return;
  if (noted_.since == order_.block_floor()) {
    for (std::uint32_t k = 0; k < noted_.count; ++k) settle_row(rows_[noted_.list[k]]);
  }
  for (std::uint32_t k = 0; k < noted_.count; ++k) rows_[noted_.list[k]].noted_since = 0;
  noted_.count = 0;
}

/// Handles lanes that access neighbouring words in lane order, 1 << Shift each. `base` is the address of lane 0's
/// words.
template <unsigned Shift>
void race_check::access_row(const request& r, std::uint64_t base, std::uint32_t stamp) {
  constexpr unsigned words = warp_size << Shift;
  const auto cell = static_cast<std::size_t>((static_cast<std::int64_t>(base) >> 2) + std::int64_t{padding});
  const std::size_t first_row = cell / 32;
  const std::size_t last_row = (cell + words - 1) / 32;
  std::uint32_t newest_write = 0, newest_read = 0;
  for (std::size_t k = first_row; k <= last_row; ++k) {
    newest_write = std::max(newest_write, rows_[k].write);
    newest_read = std::max(newest_read, rows_[k].read);
    std::uint32_t& own = r.reads ? rows_[k].read : rows_[k].write;
    own = std::max(own, stamp);
  }
  const row_at_hand here{r.warp, r.event->mask, r.block_floor, r.warp_floor};
  const shadow_groups::group& first = words_.readers.of[0];
  const shadow_groups::group& second = words_.readers.of[1];
  std::uint32_t suspicious = 0;
  if (newest_write >= r.block_floor) {
    suspicious = late_writes<Shift>(here, &words_.write_stamp[cell], &words_.write_info[cell]);
  }
  std::uint32_t others_read = 0;
  if (newest_read >= r.block_floor) {
    others_read = late_group<Shift>(here, &first.stamp[cell], &first.info[cell], &first.lanes[cell]);
  }
  if (!r.reads) {
    suspicious |= others_read;
    if (second.newest >= r.block_floor) {
      suspicious |= late_group<Shift>(here, &second.stamp[cell], &second.info[cell], &second.lanes[cell]);
    }
  }
  if (suspicious != 0 || words_.atomics.of[0].newest >= r.block_floor) check_lanes(r);

  if (!r.reads) {
    const access_info info(r.event->pc, access_level::ordinary, r.warp * warp_size);
    fill<Shift>(here.mask, stamp, 0, &words_.write_stamp[cell]);
    fill<Shift>(here.mask, info.bits(), 1, &words_.write_info[cell]);
  } else {
    read_row<Shift>(here, r.pc, cell, stamp, others_read != 0);
  }
}

template void race_check::access_row<0>(const request&, std::uint64_t, std::uint32_t);
template void race_check::access_row<1>(const request&, std::uint64_t, std::uint32_t);
template void race_check::access_row<2>(const request&, std::uint64_t, std::uint32_t);

/// The same as `access_row`, but returns false without noting the access if there may be a race.
template <unsigned Shift>
[[gnu::noinline]] bool race_check::access_row_quickly(const row_at_hand& here, const memory_event& event,
                                                      const access_shape& shape, std::uint32_t stamp) {
  constexpr unsigned words = warp_size << Shift;
  const bool loads = event.access == access_kind::load;
  const auto cell = static_cast<std::size_t>((static_cast<std::int64_t>(shape.base) >> 2) + std::int64_t{padding});
  settle_deferred();
  row_summary* const first_row = &rows_[cell / 32];
  row_summary* const last_row = &rows_[(cell + words - 1) / 32];
  std::uint32_t newest_write = 0, newest_read = 0;
  for (row_summary* row = first_row; row <= last_row; ++row) {
    settle_row(*row);
    newest_write = std::max(newest_write, row->write);
    newest_read = std::max(newest_read, row->read);
  }
  shadow_groups::group& first = words_.readers.of[0];
  std::uint32_t* const write_stamp = &words_.write_stamp[cell];
  std::uint32_t* const write_info = &words_.write_info[cell];
  std::uint32_t* const read_stamp = &first.stamp[cell];
  std::uint32_t* const read_info = &first.info[cell];
  std::uint32_t* const read_lanes = &first.lanes[cell];
  if (newest_write >= here.block_floor && late_writes<Shift>(here, write_stamp, write_info) != 0) return false;
  const bool others_read =
      newest_read >= here.block_floor && late_group<Shift>(here, read_stamp, read_info, read_lanes) != 0;
  if (others_read && !loads) return false;
  if (loads) {
    for (row_summary* row = first_row; row <= last_row; ++row) row->read = std::max(row->read, stamp);
    read_row<Shift>(here, event.pc, cell, stamp, others_read);
    return true;
  }
  const shadow_groups::group& second = words_.readers.of[1];
  if (second.newest >= here.block_floor &&
      late_group<Shift>(here, &second.stamp[cell], &second.info[cell], &second.lanes[cell]) != 0)
    return false;
  for (row_summary* row = first_row; row <= last_row; ++row) row->write = std::max(row->write, stamp);
  const access_info info(event.pc, access_level::ordinary, here.warp * warp_size);
  fill<Shift>(here.mask, stamp, 0, write_stamp);
  fill<Shift>(here.mask, info.bits(), 1, write_info);
  return true;
}

/// Notes a row of words, or defers its load. Returns false if neither is possible.
[[gnu::always_inline]] inline bool race_check::note_row_of_words(const row_at_hand& here, const memory_event& event,
                                                                 const access_shape& shape, std::uint32_t stamp) {
  const auto cell = static_cast<std::uint32_t>((static_cast<std::int64_t>(shape.base) >> 2) + std::int64_t{padding});
  const bool loads = event.access == access_kind::load;
  const row_to_note n{note_at(here.warp, cell, event.pc, stamp), here.mask, here.block_floor, here.warp_floor, loads};
  if (note_row(noted_, n)) return true;
  if (!loads) return false;
  make_room_to_defer();
  return defer_row(noted_, n);
}

/// The same as `access_one_word`, but returns false without noting the access if a write to the word may race with it.
bool race_check::load_one_word_quickly(const row_at_hand& here, const memory_event& event, std::uint64_t address,
                                       std::uint32_t stamp) {
  const std::size_t cell = address / 4 + padding;
  row_summary& row = rows_[cell / 32];
  settle_row(row);
  const std::uint32_t writer = access_info(words_.write_info[cell]).who() / warp_size;
  if (words_.write_stamp[cell] >= (writer == here.warp ? here.warp_floor : here.block_floor)) return false;
  defer({note_at(here.warp, static_cast<std::uint32_t>(cell), event.pc, stamp), here.mask, here.warp_floor,
         deferred_access::pattern::one, 1, false});
  row.read = std::max(row.read, stamp);
  return true;
}

bool race_check::access_quickly(std::uint32_t warp, const memory_event& event, const access_shape& shape) {
  if (event.is_strong || event.is_volatile || event.ends_copy || is_update(event.access)) return false;
  if (words_in_flight_ != 0 || any_split_ || !order_.same_stamps(warp)) return false;
  const row_at_hand here{warp, event.mask, order_.block_floor(), order_.warp_floor(warp)};
  if (words_.atomics.of[0].newest >= here.block_floor) return false;
  const std::uint32_t stamp = order_.stamps(warp)[shape.first];
  const unsigned bytes = event.bytes_per_lane;
  if (shape.what == access_shape::pattern::row) {
    if (bytes == 4)
      return note_row_of_words(here, event, shape, stamp) || access_row_quickly<0>(here, event, shape, stamp);
    if (bytes == 8) return access_row_quickly<1>(here, event, shape, stamp);
    return bytes == 16 && access_row_quickly<2>(here, event, shape, stamp);
  }
  if (event.access != access_kind::load || bytes != 4) return false;
  return shape.what == access_shape::pattern::one ? load_one_word_quickly(here, event, shape.base, stamp)
                                                  : load_window(here, event, shape, stamp);
}

}  // namespace emulator::observers
