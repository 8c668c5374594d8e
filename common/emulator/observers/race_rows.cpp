// The race check for whole words that are accessed by ordinary loads and stores or by atomics.

#include <algorithm>
#include <bit>

#include "emulator/observers/race_check.hpp"

namespace emulator::observers {

/// Handles a load of the same word by all lanes.
void race_check::access_one_word(const request& r, std::uint64_t address, std::uint32_t stamp) {
  const std::size_t cell = address / 4 + padding;
  if (r.late(words_.write_stamp[cell], access_info(words_.write_info[cell]).who() / warp_size) ||
      words_.atomics.of[0].newest >= r.block_floor) {
    check_lanes(r);
  }
  add_to_groups(r, words_.readers, cell, stamp, r.event->mask);
  rows_[cell / 32].read = std::max(rows_[cell / 32].read, stamp);
}

/// Handles lanes that access any words, including atomics.
void race_check::access_scattered(const request& r) {
  const unsigned words = r.event->bytes_per_lane / 4;
  alignas(64) word_cells cells;
  find_cells(*r.event, cells);
  if (suspicious_cells(r, cells, words)) check_lanes(r);
  if (r.plain_write) ++event_serial_;
  for (unsigned k = 0; k < words; ++k) {
    if (r.plain_write) {
      write_cells(r, cells, k);
    } else {
      join_cells(r, cells, k, r.reads ? words_.readers : words_.atomics);
    }
  }
  std::uint32_t newest = 0;
  for (unsigned l = 0; l < warp_size; ++l) newest = std::max(newest, r.stamps[l]);
  if (r.plain_write || r.reads) {
    for (std::size_t k = cells.low / 32; k <= (cells.high + words - 1) / 32; ++k) {
      std::uint32_t& of_row = r.reads ? rows_[k].read : rows_[k].write;
      of_row = std::max(of_row, newest);
    }
  }
}

/// Stores the cell of each active lane's first word in `cells`; inactive lanes repeat one of them.
void race_check::find_cells(const memory_event& event, word_cells& cells) {
  const std::uint32_t mask = event.mask;
  const auto some = static_cast<std::uint32_t>(event.addresses[std::countr_zero(mask)] / 4 + padding);
  cells.low = cells.high = some;
  for (unsigned l = 0; l < warp_size; ++l) {
    const auto own = static_cast<std::uint32_t>(event.addresses[l] / 4 + padding);
    const std::uint32_t cell = (mask >> l & 1u) != 0 ? own : some;
    cells.of_lane[l] = cell;
    cells.low = std::min(cells.low, cell);
    cells.high = std::max(cells.high, cell);
  }
}

/// Returns true if a word of the lanes holds an access by another thread that may race. A false alarm only costs time.
bool race_check::suspicious_cells(const request& r, const word_cells& cells, unsigned words) const {
  const shadow_groups::group& first = words_.readers.of[0];
  const bool read_too = !r.reads && first.newest >= r.block_floor;
  if (r.level == access_level::ordinary && words_.atomics.of[0].newest >= r.block_floor) return true;
  if (read_too && words_.readers.of[1].newest >= r.block_floor) return true;
  const std::uint32_t warp = r.warp;
  const std::uint32_t warp_floor = r.warp_floor;
  const std::uint32_t block_floor = r.block_floor;
  const std::uint32_t mask = r.event->mask;
  std::uint32_t found = 0;
  for (unsigned k = 0; k < words; ++k) {
    const std::uint32_t* __restrict const stamps = words_.write_stamp.data() + k;
    const std::uint32_t* __restrict const infos = words_.write_info.data() + k;
    for (std::uint32_t l = 0; l < warp_size; ++l) {
      const std::uint32_t stamp = stamps[cells.of_lane[l]];
      const std::uint32_t info = infos[cells.of_lane[l]];
      const std::uint32_t who = info & access_info::who_mask;
      const std::uint32_t floor = who / warp_size == warp ? warp_floor : block_floor;
      found |= (stamp >= floor ? 1u : 0u) &
               ((info & (access_info::who_mask | access_info::several)) != warp * warp_size + l ? 1u : 0u) & mask >> l;
    }
    if (!read_too) continue;
    const std::uint32_t* __restrict const read_stamps = first.stamp.data() + k;
    const std::uint32_t* __restrict const read_infos = first.info.data() + k;
    const std::uint32_t* __restrict const lanes = first.lanes.data() + k;
    for (std::uint32_t l = 0; l < warp_size; ++l) {
      const std::uint32_t cell = cells.of_lane[l];
      const bool same = (read_infos[cell] & access_info::who_mask) == warp;
      const std::uint32_t floor = same ? warp_floor : block_floor;
      const std::uint32_t others = (same ? 0u : 1u) | (lanes[cell] != 1u << l ? 1u : 0u);
      found |= (read_stamps[cell] >= floor ? 1u : 0u) & others & mask >> l;
    }
  }
  return (found & 1) != 0;
}

/// Adds each lane to the groups of its k-th word.
void race_check::join_cells(const request& r, const word_cells& cells, unsigned k, shadow_groups& groups) {
  shadow_groups::group& first = groups.of[0];
  std::uint32_t* __restrict const stamps = first.stamp.data() + k;
  std::uint32_t* __restrict const infos = first.info.data() + k;
  std::uint32_t* __restrict const lanes = first.lanes.data() + k;
  const std::uint32_t info = access_info(r.event->pc, r.level, r.warp).bits();
  const std::uint32_t warp = r.warp;
  // An ordinary access races with everything that an older access by this warp races with, so it may replace the older
  // one after a barrier of the warp. A strong access must not, because the older one may have been ordinary.
  const std::uint32_t warp_floor = r.level == access_level::ordinary ? r.warp_floor : r.block_floor;
  const std::uint32_t block_floor = r.block_floor;
  std::uint32_t crowded = 0;
  for (std::uint32_t l = 0; l < warp_size; ++l) {
    const std::uint32_t cell = cells.of_lane[l];
    const std::uint32_t floor = (infos[cell] & access_info::who_mask) == warp ? warp_floor : block_floor;
    const std::uint32_t other = (stamps[cell] != r.stamps[l] ? 1u : 0u) | (infos[cell] != info ? 1u : 0u);
    crowded |= (stamps[cell] >= floor ? 1u : 0u) & other & r.event->mask >> l;
  }
  crowded &= 1;
  if (crowded != 0 && order_.same_stamps(r.warp)) {
    for (std::uint32_t m = r.event->mask; m != 0;) {  // all lanes of a cell at once
      const auto l = static_cast<unsigned>(std::countr_zero(m));
      std::uint32_t same = 0;
      for (unsigned other = 0; other < warp_size; ++other)
        same |= static_cast<std::uint32_t>(cells.of_lane[other] == cells.of_lane[l]) << other;
      add_to_groups(r, groups, cells.of_lane[l] + k, r.stamps[l], same & m);
      m &= ~same;
    }
    return;
  }
  // Lanes with different stamps may access the same cell.
  if (!order_.same_stamps(r.warp)) crowded = 1;
  for (const unsigned l : lanes_in(r.event->mask)) {
    const std::uint32_t cell = cells.of_lane[l];
    const std::uint32_t stamp = r.stamps[l];
    if (stamps[cell] == stamp && infos[cell] == info) {
      lanes[cell] |= 1u << l;
    } else if (crowded == 0) {
      stamps[cell] = stamp;
      infos[cell] = info;
      lanes[cell] = 1u << l;
    } else {
      add_to_groups(r, groups, cell + k, stamp, 1u << l);
    }
    first.newest = std::max(first.newest, stamp);
  }
}

/// Notes that each lane writes its k-th word.
void race_check::write_cells(const request& r, const word_cells& cells, unsigned k) {
  std::uint32_t* const written_by = words_.written_by.data();
  const std::uint32_t info = access_info(r.event->pc, r.level, r.warp * warp_size).bits();
  for (const unsigned l : lanes_in(r.event->mask)) {
    const std::uint32_t cell = cells.of_lane[l] + k;
    const bool together = written_by[cell] == event_serial_;
    if (together) check_same_instruction(r, words_, cell, l, (cell - padding) * 4, 4);
    written_by[cell] = event_serial_;
    words_.write(cell, r.stamps[l], access_info(info + l), together);
  }
}

/// Handles an atomic by all lanes on one word.
void race_check::access_one_atomic(const request& r, std::uint64_t address, std::uint32_t stamp) {
  alignas(64) word_cells cells;
  find_cells(*r.event, cells);
  if (suspicious_cells(r, cells, 1)) check_lanes(r);
  add_to_groups(r, words_.atomics, address / 4 + padding, stamp, r.event->mask);
}

}  // namespace emulator::observers
