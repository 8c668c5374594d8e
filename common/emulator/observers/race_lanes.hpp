#pragma once
/// \file
/// Operations of the race check on a whole row of words, in loops that compilers turn into vector instructions. Only
/// for the race check's own files.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "emulator/observers/event.hpp"
#include "emulator/observers/shadow.hpp"

namespace emulator::observers {

/// The row that is being checked, as values that a loop can hold in registers. Word i of it belongs to lane i >> Shift.
struct row_at_hand {
  std::uint32_t warp;
  std::uint32_t mask;
  std::uint32_t block_floor;
  std::uint32_t warp_floor;
};

/// Returns non-zero if a write in the row may race: it is by another thread, and no barrier has followed it.
template <unsigned Shift>
[[nodiscard]] std::uint32_t late_writes(const row_at_hand& r, const std::uint32_t* __restrict stamp,
                                        const std::uint32_t* __restrict info) {
  const std::uint32_t own = r.warp * warp_size;
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < warp_size << Shift; ++i) {
    const std::uint32_t who = info[i] & access_info::who_mask;
    const std::uint32_t floor = who / warp_size == r.warp ? r.warp_floor : r.block_floor;
    const std::uint32_t late = stamp[i] >= floor ? 1 : 0;
    const std::uint32_t other =
        (info[i] & (access_info::who_mask | access_info::several)) != own + (i >> Shift) ? 1 : 0;
    found |= late & other & r.mask >> (i >> Shift);
  }
  return found & 1;
}

/// Returns non-zero if, for the word of an active lane, the group contains threads other than that lane, and no barrier
/// has followed their access.
template <unsigned Shift>
[[nodiscard]] std::uint32_t late_group(const row_at_hand& r, const std::uint32_t* __restrict stamp,
                                       const std::uint32_t* __restrict info, const std::uint32_t* __restrict lanes) {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < warp_size << Shift; ++i) {
    const std::uint32_t same = (info[i] & access_info::who_mask) == r.warp ? 1 : 0;
    const std::uint32_t floor = same != 0 ? r.warp_floor : r.block_floor;
    const std::uint32_t late = stamp[i] >= floor ? 1 : 0;
    const std::uint32_t own_only = same & (lanes[i] == 1u << (i >> Shift) ? 1u : 0u);
    found |= late & (own_only ^ 1) & r.mask >> (i >> Shift);
  }
  return found & 1;
}

/// Writes `value + step * lane` to the words of the active lanes.
template <unsigned Shift>
void fill(std::uint32_t mask, std::uint32_t value, std::uint32_t step, std::uint32_t* __restrict to) {
  if (mask == 0xffffffffu) {
    for (std::uint32_t i = 0; i < warp_size << Shift; ++i) to[i] = value + step * (i >> Shift);
  } else {
    for (std::uint32_t i = 0; i < warp_size << Shift; ++i) {
      to[i] = (mask >> (i >> Shift) & 1u) != 0 ? value + step * (i >> Shift) : to[i];
    }
  }
}

/// Writes each active lane's bit to its words.
template <unsigned Shift>
void fill_lane_bits(std::uint32_t mask, std::uint32_t* __restrict to) {
  for (std::uint32_t i = 0; i < warp_size << Shift; ++i) {
    const std::uint32_t bit = 1u << (i >> Shift);
    to[i] = (mask & bit) != 0 ? bit : to[i];
  }
}

/// Returns non-zero if one of 32 neighbouring words that `lanes` load holds a write by another thread that may race.
[[nodiscard]] inline std::uint32_t late_writes_of_others(const row_at_hand& r, const std::uint32_t* __restrict stamp,
                                                         const std::uint32_t* __restrict info,
                                                         const std::uint32_t* __restrict lanes) {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < warp_size; ++i) {
    const std::uint32_t who = info[i] & access_info::who_mask;
    const std::uint32_t same = who / warp_size == r.warp ? 1 : 0;
    const std::uint32_t late = stamp[i] >= (same != 0 ? r.warp_floor : r.block_floor) ? 1 : 0;
    const std::uint32_t alone =
        same & ((info[i] & access_info::several) == 0 ? 1u : 0u) & (lanes[i] == 1u << who % warp_size ? 1u : 0u);
    found |= (lanes[i] != 0 ? 1u : 0u) & late & (alone ^ 1u);
  }
  return found;
}

}  // namespace emulator::observers
