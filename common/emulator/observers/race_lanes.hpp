#pragma once
/// \file
/// What the race check does with a row of words at once, for the files that do it and for nobody else. With AVX-512 16
/// words at a time; elsewhere loops that compilers can turn into vector instructions.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "emulator/observers/event.hpp"
#include "emulator/observers/shadow.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace emulator::observers {

/// The row at hand, in values that a loop can keep in registers. Word i of it belongs to lane i >> Shift.
struct row_at_hand {
  std::uint32_t warp;
  std::uint32_t mask;
  std::uint32_t block_floor;
  std::uint32_t warp_floor;
};

#if defined(__AVX512F__)

/// Sixteen words of a row: those from number 16 * k on.
template <unsigned Shift>
struct sixteen {
  __m512i lane;      ///< Whose each is.
  __mmask16 active;  ///< Words of active lanes.

  sixteen(std::uint32_t mask, unsigned k) {
    const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    lane = _mm512_maskz_srli_epi32(0xffff, _mm512_add_epi32(numbers, number(16 * k)), Shift);
    active = Shift == 0 ? static_cast<__mmask16>(mask >> (16 * k)) : _mm512_test_epi32_mask(number(mask), bit());
  }
  static __m512i number(std::uint32_t n) { return _mm512_set1_epi32(static_cast<int>(n)); }
  [[nodiscard]] __m512i bit() const { return _mm512_maskz_sllv_epi32(0xffff, number(1), lane); }
};

/// Not 0 where a write in the row may race: it is by another thread, and no barrier has come since.
template <unsigned Shift>
[[nodiscard]] std::uint32_t late_writes(const row_at_hand& r, const std::uint32_t* stamp, const std::uint32_t* info) {
  using part = sixteen<Shift>;
  std::uint32_t found = 0;
  for (unsigned k = 0; k < 2u << Shift; ++k) {
    const part at(r.mask, k);
    const __m512i made = _mm512_loadu_si512(info + 16 * k);
    const __m512i warp =
        _mm512_maskz_srli_epi32(0xffff, _mm512_and_si512(made, part::number(access_info::who_mask)), 5);
    const __mmask16 same = _mm512_cmpeq_epu32_mask(warp, part::number(r.warp));
    const __m512i floor = _mm512_mask_blend_epi32(same, part::number(r.block_floor), part::number(r.warp_floor));
    const __mmask16 late = _mm512_mask_cmpge_epu32_mask(at.active, _mm512_loadu_si512(stamp + 16 * k), floor);
    const __m512i who = _mm512_and_si512(made, part::number(access_info::who_mask | access_info::several));
    found |= _mm512_mask_cmpneq_epu32_mask(late, who, _mm512_add_epi32(at.lane, part::number(r.warp * warp_size)));
  }
  return found;
}

/// Not 0 where the group holds, for an active lane's word, threads other than the lane and no barrier has come since.
template <unsigned Shift>
[[nodiscard]] std::uint32_t late_group(const row_at_hand& r, const std::uint32_t* stamp, const std::uint32_t* info,
                                       const std::uint32_t* lanes) {
  using part = sixteen<Shift>;
  std::uint32_t found = 0;
  for (unsigned k = 0; k < 2u << Shift; ++k) {
    const part at(r.mask, k);
    const __m512i who = _mm512_and_si512(_mm512_loadu_si512(info + 16 * k), part::number(access_info::who_mask));
    const __mmask16 same = _mm512_cmpeq_epu32_mask(who, part::number(r.warp));
    const __m512i floor = _mm512_mask_blend_epi32(same, part::number(r.block_floor), part::number(r.warp_floor));
    const __mmask16 late = _mm512_mask_cmpge_epu32_mask(at.active, _mm512_loadu_si512(stamp + 16 * k), floor);
    const __mmask16 own = _mm512_mask_cmpeq_epu32_mask(same, _mm512_loadu_si512(lanes + 16 * k), at.bit());
    found |= static_cast<std::uint32_t>(late & ~own);
  }
  return found;
}

/// Writes `value + step * lane` to the words of the active lanes; `step` is 0 or 1.
template <unsigned Shift>
void fill(std::uint32_t mask, std::uint32_t value, std::uint32_t step, std::uint32_t* to) {
  using part = sixteen<Shift>;
  for (unsigned k = 0; k < 2u << Shift; ++k) {
    const part at(mask, k);
    const __m512i same = part::number(value);
    _mm512_mask_storeu_epi32(to + 16 * k, at.active, step == 0 ? same : _mm512_add_epi32(same, at.lane));
  }
}

/// Writes each active lane's own bit to its words.
template <unsigned Shift>
void fill_lane_bits(std::uint32_t mask, std::uint32_t* to) {
  for (unsigned k = 0; k < 2u << Shift; ++k) {
    const sixteen<Shift> at(mask, k);
    _mm512_mask_storeu_epi32(to + 16 * k, at.active, at.bit());
  }
}

/// Sixteen cells of both groups of readers, and how ordinary loads join them.
struct sixteen_readers {
  struct group {
    __m512i stamp, info, lanes;
    group(const shadow_groups::group& g, std::size_t cell)
        : stamp(_mm512_loadu_si512(&g.stamp[cell])),
          info(_mm512_loadu_si512(&g.info[cell])),
          lanes(_mm512_loadu_si512(&g.lanes[cell])) {}
    [[nodiscard]] __m512i warp() const { return _mm512_and_si512(info, set(access_info::who_mask)); }
    [[nodiscard]] __m512i level() const { return _mm512_and_si512(info, set(3u << 10)); }
    void store(shadow_groups::group& g, std::size_t cell, __mmask16 cells) const {
      _mm512_mask_storeu_epi32(&g.stamp[cell], cells, stamp);
      _mm512_mask_storeu_epi32(&g.info[cell], cells, info);
      _mm512_mask_storeu_epi32(&g.lanes[cell], cells, lanes);
    }
  };
  static __m512i set(std::uint32_t n) { return _mm512_set1_epi32(static_cast<int>(n)); }

  group first, second;
  __m512i lanes;     ///< By cell: who loads it.
  __mmask16 active;  ///< Cells that somebody loads.
  __m512i stamp, info, block_floor, warp_floor, own_warp;

  sixteen_readers(const shadow_groups& readers, std::size_t cell, __m512i loaded_by, const row_at_hand& r,
                  std::uint32_t now, access_info what)
      : first(readers.of[0], cell),
        second(readers.of[1], cell),
        lanes(loaded_by),
        active(_mm512_test_epi32_mask(loaded_by, loaded_by)),
        stamp(set(now)),
        info(set(what.bits())),
        block_floor(set(r.block_floor)),
        warp_floor(set(r.warp_floor)),
        own_warp(set(r.warp)) {}

  /// Cells where the group is these very loads.
  [[nodiscard]] __mmask16 same(const group& g, __mmask16 cells) const {
    return _mm512_mask_cmpeq_epu32_mask(_mm512_mask_cmpeq_epu32_mask(cells, g.stamp, stamp), g.info, info);
  }
  /// Cells whose group the loads may replace: whatever races with it also races with them.
  [[nodiscard]] __mmask16 replaceable(const group& g, __mmask16 cells) const {
    const __mmask16 own = _mm512_mask_cmpeq_epu32_mask(cells, g.warp(), own_warp);
    const __m512i others = _mm512_maskz_andnot_epi32(0xffff, lanes, g.lanes);
    const __mmask16 ordered = _mm512_mask_cmplt_epu32_mask(own, g.stamp, warp_floor);
    const __mmask16 alone = _mm512_mask_testn_epi32_mask(own, others, others);
    return static_cast<__mmask16>(_mm512_mask_cmplt_epu32_mask(cells, g.stamp, block_floor) | ordered | alone);
  }
  [[nodiscard]] __mmask16 alike(const group& g, __mmask16 cells) const {
    const __mmask16 at = _mm512_mask_cmpeq_epu32_mask(cells, g.stamp, stamp);
    return _mm512_mask_cmpeq_epu32_mask(_mm512_mask_cmpeq_epu32_mask(at, g.warp(), own_warp), g.level(), set(0));
  }

  /// As `race_check::add_to_groups`, cell by cell.
  void join(shadow_groups& readers, std::size_t cell) {
    const __mmask16 same_first = same(first, active);
    const __mmask16 same_second = same(second, static_cast<__mmask16>(active & ~same_first));
    auto rest = static_cast<__mmask16>(active & ~same_first & ~same_second);
    const __mmask16 over_first = replaceable(first, rest);
    const __mmask16 over_second = replaceable(second, static_cast<__mmask16>(rest & ~over_first));
    rest = static_cast<__mmask16>(rest & ~over_first & ~over_second);
    const __mmask16 like_second = alike(second, rest);
    const __mmask16 like_first = alike(first, static_cast<__mmask16>(rest & ~like_second));
    rest = static_cast<__mmask16>(rest & ~like_second & ~like_first);
    const __mmask16 one_warp = _mm512_mask_cmpeq_epu32_mask(rest, first.warp(), second.warp());
    const __mmask16 merged = _mm512_mask_cmpeq_epu32_mask(
        _mm512_mask_cmpeq_epu32_mask(one_warp, first.stamp, second.stamp), first.level(), second.level());
    const auto set_second = static_cast<__mmask16>(over_second | one_warp);
    const auto more_first = static_cast<__mmask16>(same_first | like_first);
    const auto more_second = static_cast<__mmask16>(same_second | like_second);
    first.lanes = _mm512_mask_or_epi32(first.lanes, more_first, first.lanes, lanes);
    first.lanes = _mm512_mask_or_epi32(first.lanes, merged, first.lanes, second.lanes);
    replace(first, over_first);
    second.lanes = _mm512_mask_or_epi32(second.lanes, more_second, second.lanes, lanes);
    replace(second, set_second);
    first.store(readers.of[0], cell, static_cast<__mmask16>(more_first | merged | over_first));
    if ((set_second | more_second) != 0)
      second.store(readers.of[1], cell, static_cast<__mmask16>(more_second | set_second));
    const auto now = static_cast<std::uint32_t>(_mm512_cvtsi512_si32(stamp));
    readers.of[0].newest = std::max(readers.of[0].newest, now);
    if (set_second != 0) readers.of[1].newest = std::max(readers.of[1].newest, now);
  }
  void replace(group& g, __mmask16 cells) const {
    g.stamp = _mm512_mask_mov_epi32(g.stamp, cells, stamp);
    g.info = _mm512_mask_mov_epi32(g.info, cells, info);
    g.lanes = _mm512_mask_mov_epi32(g.lanes, cells, lanes);
  }
};

#else

/// Not 0 where a write in the row may race: it is by another thread, and no barrier has come since.
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

/// Not 0 where the group holds, for an active lane's word, threads other than the lane and no barrier has come since.
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

/// Writes each active lane's own bit to its words.
template <unsigned Shift>
void fill_lane_bits(std::uint32_t mask, std::uint32_t* __restrict to) {
  for (std::uint32_t i = 0; i < warp_size << Shift; ++i) {
    const std::uint32_t bit = 1u << (i >> Shift);
    to[i] = (mask & bit) != 0 ? bit : to[i];
  }
}

#endif

}  // namespace emulator::observers
