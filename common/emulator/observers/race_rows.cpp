// The quick ways of the race check: whole words, accessed by ordinary loads and stores or by atomics.

#include <bit>

#include "emulator/observers/race_check.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace emulator::observers {
namespace {

/// The row at hand, in values that a loop can keep in registers. Word i of it belongs to lane i >> Shift.
struct row {
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
std::uint32_t late_writes(const row& r, const std::uint32_t* stamp, const std::uint32_t* info) {
  using part = sixteen<Shift>;
  std::uint32_t found = 0;
  for (unsigned k = 0; k < 2u << Shift; ++k) {
    const part at(r.mask, k);
    const __m512i made = _mm512_loadu_si512(info + 16 * k);
    const __m512i warp = _mm512_maskz_srli_epi32(0xffff, _mm512_and_si512(made, part::number(access_info::who_mask)), 5);
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
std::uint32_t late_group(const row& r, const std::uint32_t* stamp, const std::uint32_t* info,
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

  sixteen_readers(const shadow_groups& readers, std::size_t cell, __m512i loaded_by, const row& r, std::uint32_t now,
                  access_info what)
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
  /// Cells whose group may race with what this warp, or another, does next.
  [[nodiscard]] __mmask16 late(const group& g, __mmask16 cells) const {
    const __mmask16 own = _mm512_cmpeq_epu32_mask(g.warp(), own_warp);
    return _mm512_mask_cmpge_epu32_mask(cells, g.stamp, _mm512_mask_blend_epi32(own, block_floor, warp_floor));
  }
  /// Cells whose group the loads may replace: whatever races with it also races with them.
  [[nodiscard]] __mmask16 replaceable(const group& g, __mmask16 cells) const {
    const __mmask16 own = _mm512_mask_cmpeq_epu32_mask(cells, g.warp(), own_warp);
    const __m512i lowest = _mm512_and_si512(lanes, _mm512_sub_epi32(set(0), lanes));
    const __m512i others = _mm512_maskz_andnot_epi32(0xffff, lowest, g.lanes);
    const __mmask16 ordered = _mm512_mask_cmplt_epu32_mask(own, g.stamp, warp_floor);
    const __mmask16 alone = _mm512_mask_testn_epi32_mask(own, others, others);
    return static_cast<__mmask16>(_mm512_mask_cmplt_epu32_mask(cells, g.stamp, block_floor) | ordered | alone);
  }
  [[nodiscard]] __mmask16 alike(const group& g, __mmask16 cells) const {
    const __mmask16 at = _mm512_mask_cmpeq_epu32_mask(cells, g.stamp, stamp);
    return _mm512_mask_cmpeq_epu32_mask(_mm512_mask_cmpeq_epu32_mask(at, g.warp(), own_warp), g.level(), set(0));
  }

  /// Says whether lanes that share a word join it one by one as they do together.
  [[nodiscard]] bool joins_together() const {
    const __m512i more = _mm512_and_si512(lanes, _mm512_sub_epi32(lanes, set(1)));
    const __mmask16 shared = _mm512_mask_test_epi32_mask(active, more, more);
    const __mmask16 rest = static_cast<__mmask16>(shared & ~same(first, shared) & ~same(second, shared));
    return (rest & ~replaceable(first, rest) & ~replaceable(second, rest)) == 0;
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
std::uint32_t late_writes(const row& r, const std::uint32_t* __restrict stamp, const std::uint32_t* __restrict info) {
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
std::uint32_t late_group(const row& r, const std::uint32_t* __restrict stamp, const std::uint32_t* __restrict info,
                         const std::uint32_t* __restrict lanes) {
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

}  // namespace

/// Handles lanes that access neighbouring words, in the lanes' order, 1 << Shift each. `base` is where lane 0's begin.
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
  const row here{r.warp, r.event->mask, r.block_floor, r.warp_floor};
  shadow_groups::group& first = words_.readers.of[0];
  shadow_groups::group& second = words_.readers.of[1];
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
  } else if (others_read == 0) {  // the first group holds nothing but the past, or the lanes themselves
    const access_info info(r.event->pc, access_level::ordinary, r.warp);
    fill<Shift>(here.mask, stamp, 0, &first.stamp[cell]);
    fill<Shift>(here.mask, info.bits(), 0, &first.info[cell]);
    fill_lane_bits<Shift>(here.mask, &first.lanes[cell]);
    first.newest = std::max(first.newest, stamp);
  } else {
    for (unsigned i = 0; i < words; ++i) {
      const unsigned lane = i >> Shift;
      if ((here.mask >> lane & 1u) != 0) add_to_groups(r, words_.readers, cell + i, stamp, 1u << lane);
    }
  }
}

template void race_check::access_row<0>(const request&, std::uint64_t, std::uint32_t);
template void race_check::access_row<1>(const request&, std::uint64_t, std::uint32_t);
template void race_check::access_row<2>(const request&, std::uint64_t, std::uint32_t);

/// Adds the lanes of a load of a row to the groups of readers.
template <unsigned Shift>
void race_check::join_row(const simple_access& access, std::size_t cell, std::uint32_t stamp) {
#if defined(__AVX512F__)
  const row here{access.warp, access.mask, order_.block_floor(), order_.warp_floor(access.warp)};
  const access_info info(access.pc, access_level::ordinary, access.warp);
  for (unsigned k = 0; k < 2u << Shift; ++k) {
    const sixteen<Shift> at(access.mask, k);
    const __m512i lanes = _mm512_maskz_mov_epi32(at.active, at.bit());
    sixteen_readers(words_.readers, cell + 16 * k, lanes, here, stamp, info).join(words_.readers, cell + 16 * k);
  }
#else
  request r;
  r.pc = access.pc;
  r.warp = access.warp;
  r.block_floor = order_.block_floor();
  r.warp_floor = order_.warp_floor(access.warp);
  for (std::size_t i = 0; i < warp_size << Shift; ++i) {
    const auto lane = static_cast<unsigned>(i >> Shift);
    if ((access.mask >> lane & 1u) != 0) add_to_groups(r, words_.readers, cell + i, stamp, 1u << lane);
  }
#endif
}

/// As `access_scattered`, of a load of one word by each lane, all of them among 32 neighbouring ones.
bool race_check::access_window(const simple_access& access) {
#if defined(__AVX512F__)
  const row here{access.warp, access.mask, order_.block_floor(), order_.warp_floor(access.warp)};
  if (words_.atomics.of[0].newest >= here.block_floor) return false;
  const std::size_t cell = access.begin / 4 + padding;
  row_summary* const first_row = &rows_[cell / 32];
  row_summary* const last_row = &rows_[(access.end - 1) / 4 / 32 + padding / 32];
  settle_row(*first_row);
  settle_row(*last_row);
  alignas(64) std::uint32_t lanes[warp_size] = {};
  for (std::uint32_t m = access.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    lanes[access.words[l]] |= 1u << l;
  }
  const __m512i by_half[2] = {_mm512_load_si512(lanes), _mm512_load_si512(lanes + 16)};
  if (std::max(first_row->write, last_row->write) >= here.block_floor) {
    using part = sixteen<0>;
    for (unsigned k = 0; k < 2; ++k) {
      const __m512i made = _mm512_loadu_si512(&words_.write_info[cell + 16 * k]);
      const __m512i stamp = _mm512_loadu_si512(&words_.write_stamp[cell + 16 * k]);
      const __m512i who = _mm512_and_si512(made, part::number(access_info::who_mask));
      const __mmask16 same = _mm512_cmpeq_epu32_mask(_mm512_maskz_srli_epi32(0xffff, who, 5), part::number(here.warp));
      const __m512i floor =
          _mm512_mask_blend_epi32(same, part::number(here.block_floor), part::number(here.warp_floor));
      const __mmask16 late = _mm512_mask_cmpge_epu32_mask(_mm512_test_epi32_mask(by_half[k], by_half[k]), stamp, floor);
      const __m512i bit = _mm512_maskz_sllv_epi32(0xffff, part::number(1), _mm512_and_si512(who, part::number(31)));
      const __mmask16 one = _mm512_mask_testn_epi32_mask(same, made, part::number(access_info::several));
      if ((late & ~_mm512_mask_cmpeq_epu32_mask(one, by_half[k], bit)) != 0) return false;
    }
  }
  const std::uint32_t stamp = order_.stamps(access.warp)[access.shape.first];
  const access_info info(access.pc, access_level::ordinary, access.warp);
  sixteen_readers low(words_.readers, cell, by_half[0], here, stamp, info);
  sixteen_readers high(words_.readers, cell + 16, by_half[1], here, stamp, info);
  const auto crowded = [](const sixteen_readers& part) {
    return (part.late(part.first, part.active) & ~part.same(part.first, part.active)) != 0;
  };
  if (crowded(low) || crowded(high)) {
    if (!low.joins_together() || !high.joins_together()) return false;
    low.join(words_.readers, cell);
    high.join(words_.readers, cell + 16);
  } else {
    const auto fill_first = [this](sixteen_readers& part, std::size_t at) {
      const __mmask16 same = part.same(part.first, part.active);
      part.first.lanes = _mm512_mask_or_epi32(part.first.lanes, same, part.first.lanes, part.lanes);
      part.replace(part.first, static_cast<__mmask16>(part.active & ~same));
      part.first.store(words_.readers.of[0], at, part.active);
    };
    fill_first(low, cell);
    fill_first(high, cell + 16);
    words_.readers.of[0].newest = std::max(words_.readers.of[0].newest, stamp);
  }
  first_row->read = std::max(first_row->read, stamp);
  last_row->read = std::max(last_row->read, stamp);
  return true;
#else
  static_cast<void>(access);
  return false;
#endif
}

/// A row that is to be noted.
struct race_check::noting {
  row_note note;  ///< Without its words.
  std::uint32_t block_floor;
  std::uint32_t warp_floor;
  bool reads;

  [[nodiscard]] bool live(const row_note& other) const { return other.stamp >= block_floor; }
  /// Says whether what `other` tells of words that both have is ordered before this, lane by lane.
  [[nodiscard]] bool follows(const row_note& other) const {
    return other.warp == note.warp && (other.cell == note.cell || other.stamp < warp_floor);
  }
  [[nodiscard]] bool is_like(const row_note& other) const {
    return other.stamp == note.stamp && other.cell == note.cell && other.pc == note.pc && other.warp == note.warp;
  }
};

/// Returns where to note `words` of a row, or null where there may be a race, or notes do not suffice.
inline race_check::row_note* race_check::place_in(row_summary& row, const noting& n, std::uint32_t words) {
  if (row.write >= n.block_floor || row.read >= n.block_floor) return nullptr;
  const auto disturbed = [&](const row_note& other) {
    return n.live(other) && (other.words & words) != 0 && !n.follows(other);
  };
  if (disturbed(row.writes[0]) || disturbed(row.writes[1])) return nullptr;
  if (disturbed(row.reads[0]) || disturbed(row.reads[1])) return nullptr;
  row_note* const notes = n.reads ? row.reads : row.writes;
  if (n.is_like(notes[0])) return &notes[0];
  if (n.is_like(notes[1])) return &notes[1];
  if (!n.live(notes[0]) || (notes[0].words & ~words) == 0) return &notes[0];
  if (!n.live(notes[1]) || (notes[1].words & ~words) == 0) return &notes[1];
  return nullptr;
}

inline void race_check::write_note(row_summary& row, const noting& n, row_note& to, std::uint32_t words) {
  row_note* const notes = n.reads ? row.reads : row.writes;
  row_note& other = notes[&to == notes ? 1 : 0];
  other.words &= ~words;
  const std::uint32_t before = n.is_like(to) ? to.words : 0;
  to = n.note;
  to.words = before | words;
}

/// Notes a row of words, where notes suffice for it.
bool race_check::note_row(const simple_access& access, std::size_t cell, std::uint32_t stamp) {
  const noting n{{stamp, access.pc, access.warp, static_cast<std::uint32_t>(cell), 0},
                 order_.block_floor(),
                 order_.warp_floor(access.warp),
                 access.loads};
  const std::uint64_t words = std::uint64_t{access.mask} << cell % 32;
  const auto low = static_cast<std::uint32_t>(words), high = static_cast<std::uint32_t>(words >> 32);
  row_summary* const rows = &rows_[cell / 32];
  row_note* const in_low = low != 0 ? place_in(rows[0], n, low) : nullptr;
  if (low != 0 && in_low == nullptr) return false;
  row_note* const in_high = high != 0 ? place_in(rows[1], n, high) : nullptr;
  if (high != 0 && in_high == nullptr) return false;
  if (noted_since_ != n.block_floor) {
    noted_since_ = n.block_floor;
    noted_rows_.clear();
  }
  const auto note = [&](row_summary& row, row_note* to, std::uint32_t own) {
    if (to == nullptr) return;
    if (row.noted_since != n.block_floor) {
      row.noted_since = n.block_floor;
      noted_rows_.push_back(static_cast<std::uint32_t>(&row - rows_.data()));
    }
    write_note(row, n, *to, own);
  };
  note(rows[0], in_low, low);
  note(rows[1], in_high, high);
  return true;
}

void race_check::settle_row(row_summary& row) {
  if (row.noted_since != order_.block_floor()) return;
  const auto first_cell = static_cast<std::uint32_t>(&row - rows_.data()) * 32;
  shadow_groups::group& first = words_.readers.of[0];
  for (row_note& note : row.reads) {
    if (note.stamp < row.noted_since || note.words == 0) continue;
    const access_info info(note.pc, access_level::ordinary, note.warp);
#if defined(__AVX512F__)
    for (unsigned k = 0; k < 2; ++k) {
      const sixteen<0> at(note.words, k);
      const std::size_t cell = first_cell + 16 * k;
      const __m512i lane = _mm512_add_epi32(at.lane, sixteen<0>::number(first_cell - note.cell));
      _mm512_mask_storeu_epi32(&first.stamp[cell], at.active, sixteen<0>::number(note.stamp));
      _mm512_mask_storeu_epi32(&first.info[cell], at.active, sixteen<0>::number(info.bits()));
      _mm512_mask_storeu_epi32(&first.lanes[cell], at.active,
                               _mm512_maskz_sllv_epi32(0xffff, sixteen<0>::number(1), lane));
    }
#else
    for (std::uint32_t m = note.words; m != 0; m &= m - 1) {
      const std::uint32_t cell = first_cell + static_cast<std::uint32_t>(std::countr_zero(m));
      words_.readers.set(0, cell, note.stamp, info, 1u << (cell - note.cell));
    }
#endif
    first.newest = std::max(first.newest, note.stamp);
    row.read = std::max(row.read, note.stamp);
    note.words = 0;
  }
  for (row_note& note : row.writes) {
    if (note.stamp < row.noted_since || note.words == 0) continue;
#if defined(__AVX512F__)
    const access_info info(note.pc, access_level::ordinary, note.warp * warp_size);
    for (unsigned k = 0; k < 2; ++k) {
      const sixteen<0> at(note.words, k);
      const std::size_t cell = first_cell + 16 * k;
      const __m512i of_lane_0 = sixteen<0>::number(info.bits() + first_cell - note.cell);
      _mm512_mask_storeu_epi32(&words_.write_stamp[cell], at.active, sixteen<0>::number(note.stamp));
      _mm512_mask_storeu_epi32(&words_.write_info[cell], at.active, _mm512_add_epi32(at.lane, of_lane_0));
    }
#else
    for (std::uint32_t m = note.words; m != 0; m &= m - 1) {
      const std::uint32_t cell = first_cell + static_cast<std::uint32_t>(std::countr_zero(m));
      const std::uint32_t thread = note.warp * warp_size + (cell - note.cell);
      words_.write(cell, note.stamp, access_info(note.pc, access_level::ordinary, thread), false);
    }
#endif
    row.write = std::max(row.write, note.stamp);
    note.words = 0;
  }
}

void race_check::settle() {
  if (noted_rows_.empty()) return;
  if (noted_since_ == order_.block_floor()) {
    for (const std::uint32_t k : noted_rows_) settle_row(rows_[k]);
  }
  for (const std::uint32_t k : noted_rows_) rows_[k].noted_since = 0;
  noted_rows_.clear();
}

/// As `access_row`, where there is no race and no word that another lane has read.
template <unsigned Shift>
bool race_check::access_row_simply(const simple_access& access) {
  constexpr unsigned words = warp_size << Shift;
  const row here{access.warp, access.mask, order_.block_floor(), order_.warp_floor(access.warp)};
  const std::uint32_t stamp = order_.stamps(access.warp)[access.shape.first];
  const auto cell = static_cast<std::size_t>((static_cast<std::int64_t>(access.shape.base) >> 2) + std::int64_t{padding});
  if (words_.atomics.of[0].newest >= here.block_floor) return false;
  if constexpr (Shift == 0) {
    if (note_row(access, cell, stamp)) return true;
  }
  row_summary* const first_row = &rows_[cell / 32];
  row_summary* const last_row = &rows_[(cell + words - 1) / 32];
  std::uint32_t newest_write = 0, newest_read = 0;
  for (row_summary* r = first_row; r <= last_row; ++r) {
    settle_row(*r);
    newest_write = std::max(newest_write, r->write);
    newest_read = std::max(newest_read, r->read);
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
  if (others_read && !access.loads) return false;
  if (access.loads) {
    for (row_summary* r = first_row; r <= last_row; ++r) r->read = std::max(r->read, stamp);
    if (others_read) {
      join_row<Shift>(access, cell, stamp);
      return true;
    }
    const access_info info(access.pc, access_level::ordinary, access.warp);
    fill<Shift>(here.mask, stamp, 0, read_stamp);
    fill<Shift>(here.mask, info.bits(), 0, read_info);
    fill_lane_bits<Shift>(here.mask, read_lanes);
    first.newest = std::max(first.newest, stamp);
    return true;
  }
  const shadow_groups::group& second = words_.readers.of[1];
  if (second.newest >= here.block_floor &&
      late_group<Shift>(here, &second.stamp[cell], &second.info[cell], &second.lanes[cell]) != 0)
    return false;
  for (row_summary* r = first_row; r <= last_row; ++r) r->write = std::max(r->write, stamp);
  const access_info info(access.pc, access_level::ordinary, access.warp * warp_size);
  fill<Shift>(here.mask, stamp, 0, write_stamp);
  fill<Shift>(here.mask, info.bits(), 1, write_info);
  return true;
}

bool race_check::access_simply(const simple_access& access) {
  if (words_in_flight_ != 0 || any_split_ || !order_.same_stamps(access.warp)) return false;
  if (access.shape.what == access_shape::pattern::row) {
    return access.bytes == 4   ? access_row_simply<0>(access)
           : access.bytes == 8 ? access_row_simply<1>(access)
                               : access_row_simply<2>(access);
  }
  if (access.shape.what == access_shape::pattern::scattered) return access_window(access);
  if (!access.loads || access.bytes != 4) return false;
  request r;
  r.pc = access.pc;
  r.warp = access.warp;
  r.block_floor = order_.block_floor();
  r.warp_floor = order_.warp_floor(access.warp);
  const std::size_t cell = access.begin / 4 + padding;
  settle_row(rows_[cell / 32]);
  if (r.late(words_.write_stamp[cell], access_info(words_.write_info[cell]).who() / warp_size) ||
      words_.atomics.of[0].newest >= r.block_floor)
    return false;
  const std::uint32_t stamp = order_.stamps(access.warp)[access.shape.first];
  add_to_groups(r, words_.readers, cell, stamp, access.mask);
  rows_[cell / 32].read = std::max(rows_[cell / 32].read, stamp);
  return true;
}

/// Handles loads of one word by all lanes.
void race_check::access_one_word(const request& r, std::uint64_t address, std::uint32_t stamp) {
  const std::size_t cell = address / 4 + padding;
  if (r.late(words_.write_stamp[cell], access_info(words_.write_info[cell]).who() / warp_size) ||
      words_.atomics.of[0].newest >= r.block_floor) {
    check_lanes(r);
  }
  add_to_groups(r, words_.readers, cell, stamp, r.event->mask);
  rows_[cell / 32].read = std::max(rows_[cell / 32].read, stamp);
}

/// Handles lanes that access any words; atomics too.
void race_check::access_scattered(const request& r) {
  const unsigned words = r.event->bytes_per_lane / 4;
  alignas(64) word_cells cells;
  find_cells(r, cells);
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

/// Finds the cell of each active lane's first word; inactive lanes repeat one.
void race_check::find_cells(const request& r, word_cells& cells) {
  const std::uint32_t mask = r.event->mask;
  const auto some = static_cast<std::uint32_t>(r.event->addresses[std::countr_zero(mask)] / 4 + padding);
  cells.low = cells.high = some;
  for (unsigned l = 0; l < warp_size; ++l) {
    const auto own = static_cast<std::uint32_t>(r.event->addresses[l] / 4 + padding);
    const std::uint32_t cell = (mask >> l & 1u) != 0 ? own : some;
    cells.of_lane[l] = cell;
    cells.low = std::min(cells.low, cell);
    cells.high = std::max(cells.high, cell);
  }
}

/// Says whether a word of the lanes holds an access of another thread that may race. A wrong yes costs time only.
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

/// Adds the lanes to the groups of the k-th word of each.
void race_check::join_cells(const request& r, const word_cells& cells, unsigned k, shadow_groups& groups) {
  shadow_groups::group& first = groups.of[0];
  std::uint32_t* __restrict const stamps = first.stamp.data() + k;
  std::uint32_t* __restrict const infos = first.info.data() + k;
  std::uint32_t* __restrict const lanes = first.lanes.data() + k;
  const std::uint32_t info = access_info(r.event->pc, r.level, r.warp).bits();
  const std::uint32_t warp = r.warp;
  // What orders this warp's older accesses orders them for ordinary ones; others may have been less strong.
  const std::uint32_t warp_floor = r.level == access_level::ordinary ? r.warp_floor : r.block_floor;
  const std::uint32_t block_floor = r.block_floor;
  std::uint32_t crowded = 0;
  for (std::uint32_t l = 0; l < warp_size; ++l) {
    const std::uint32_t cell = cells.of_lane[l];
    const std::uint32_t floor = (infos[cell] & access_info::who_mask) == warp ? warp_floor : block_floor;
    const std::uint32_t other = (stamps[cell] != r.stamps[l] ? 1u : 0u) | (infos[cell] != info ? 1u : 0u);
    crowded |= (stamps[cell] >= floor ? 1u : 0u) & other & r.event->mask >> l;
  }
  // Lanes with different stamps may meet in one cell.
  crowded = order_.same_stamps(r.warp) ? crowded & 1 : 1;
  for (std::uint32_t m = r.event->mask; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
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

/// Notes that the lanes write the k-th word of each.
void race_check::write_cells(const request& r, const word_cells& cells, unsigned k) {
  std::uint32_t* const written_by = words_.written_by.data();
  const std::uint32_t info = access_info(r.event->pc, r.level, r.warp * warp_size).bits();
  for (std::uint32_t m = r.event->mask; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    const std::uint32_t cell = cells.of_lane[l] + k;
    const bool together = written_by[cell] == event_serial_;
    if (together) check_same_instruction(r, words_, cell, l, (cell - padding) * 4, 4);
    written_by[cell] = event_serial_;
    words_.write(cell, r.stamps[l], access_info(info + l), together);
  }
}

/// Handles an atomic of all lanes on one word.
void race_check::access_one_atomic(const request& r, std::uint64_t address, std::uint32_t stamp) {
  alignas(64) word_cells cells;
  find_cells(r, cells);
  if (suspicious_cells(r, cells, 1)) check_lanes(r);
  add_to_groups(r, words_.atomics, address / 4 + padding, stamp, r.event->mask);
}

}  // namespace emulator::observers
