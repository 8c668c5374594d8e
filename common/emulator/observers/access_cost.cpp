#include "emulator/observers/access_cost.hpp"

#include <algorithm>
#include <bit>

namespace emulator::observers {
namespace {

constexpr std::uint32_t all_lanes = 0xffffffffu;

/// Stores each active lane's unit index (address >> Shift) in `out`, in lane order. Inactive lanes repeat a
/// neighbour's.
template <unsigned Shift>
void units_of(const lane_addresses& a, std::uint64_t* out) {
  const std::uint64_t* const address = a.by_lane;
  if (a.mask == all_lanes) {
    for (unsigned l = 0; l < warp_size; ++l) out[l] = address[l] >> Shift;
    return;
  }
  if (a.shape.gapless) {
    const std::uint64_t low = address[a.shape.first] >> Shift;
    const std::uint64_t high = address[a.shape.last] >> Shift;
    for (unsigned l = 0; l < warp_size; ++l) {
      const std::uint64_t own = address[l] >> Shift;
      out[l] = l < a.shape.first ? low : l > a.shape.last ? high : own;
    }
    return;
  }
  std::uint64_t recent = address[a.shape.first] >> Shift;
  for (unsigned l = 0; l < warp_size; ++l) {
    if ((a.mask >> l & 1u) != 0) recent = address[l] >> Shift;
    out[l] = recent;
  }
}

/// Returns the number of distinct values among 32.
unsigned count_distinct(const std::uint64_t* value) {
  std::uint64_t low = value[0];
  std::uint64_t high = value[0];
  for (unsigned l = 1; l < warp_size; ++l) {
    low = std::min(low, value[l]);
    high = std::max(high, value[l]);
  }
  constexpr std::uint64_t window = 512;
  if (high - low < window) {
    std::uint64_t seen[window / 64] = {};
    for (unsigned l = 0; l < warp_size; ++l) {
      const std::uint64_t at = value[l] - low;
      seen[at / 64] |= std::uint64_t{1} << (at % 64);
    }
    unsigned count = 0;
    for (const std::uint64_t bits : seen) count += static_cast<unsigned>(std::popcount(bits));
    return count;
  }
  std::uint64_t repeated[warp_size] = {};
  for (unsigned k = 0; k + 1 < warp_size; ++k)
    for (unsigned l = 0; l < warp_size; ++l) repeated[l] |= (l > k ? 1u : 0u) & (value[l] == value[k] ? 1u : 0u);
  unsigned count = 0;
  for (unsigned l = 0; l < warp_size; ++l) count += repeated[l] != 0 ? 0 : 1;
  return count;
}

/// Returns the number of distinct units of 1 << Shift bytes that the lanes touch.
template <unsigned Shift>
unsigned count_units(const lane_addresses& a) {
  if (a.shape.what == access_shape::pattern::one) return 1;
  if (a.shape.is_range()) {
    return static_cast<unsigned>((a.shape.high + a.bytes - 1) >> Shift) - static_cast<unsigned>(a.shape.low >> Shift) +
           1;
  }
  alignas(64) std::uint64_t unit[warp_size];
  units_of<Shift>(a, unit);
  // In nearly all accesses the addresses never decrease, so each change is a new unit.
  std::uint64_t changes = 0;
  std::uint64_t falls = 0;
  for (unsigned l = 1; l < warp_size; ++l) {
    changes += unit[l] != unit[l - 1] ? 1 : 0;
    falls |= unit[l] < unit[l - 1] ? 1 : 0;
  }
  return falls == 0 ? static_cast<unsigned>(changes) + 1 : count_distinct(unit);
}

/// Returns the number of passes after the first, summed over the parts of the warp, which have `width` lanes each.
/// Lanes that access the same unit in the same place share a pass; `place` is the bank or group of banks, by lane.
unsigned count_conflicts(const std::uint32_t* unit, const std::uint8_t* place, std::uint32_t mask, unsigned width) {
  // Marks lanes that access the same unit as a lower lane. Equal units of one part are in the same place.
  std::uint32_t repeated[warp_size] = {}, at[warp_size];
  for (unsigned l = 0; l < warp_size; ++l) at[l] = place[l];
  for (unsigned k = 0; k + 1 < warp_size; ++k) {
    const std::uint32_t active = mask >> k & 1u;
    for (unsigned l = 0; l < warp_size; ++l)
      repeated[l] |= active & (l > k ? 1u : 0u) & (unit[l] == unit[k] ? 1u : 0u) & (at[l] == at[k] ? 1u : 0u);
  }
  std::uint8_t wanted[warp_size] = {};  // number of distinct units, by place
  for (unsigned l = 0; l < warp_size; ++l) wanted[place[l]] += static_cast<std::uint8_t>(mask >> l & ~repeated[l] & 1u);
  unsigned conflicts = 0;
  for (unsigned begin = 0; begin < warp_size; begin += width)
    conflicts += std::max<unsigned>(1, *std::max_element(wanted + begin, wanted + begin + width)) - 1;
  return conflicts;
}

}  // namespace

unsigned count_sectors(const lane_addresses& a) {
  return count_units<sector_shift>(a);
}

unsigned count_lines(const lane_addresses& a) {
  return count_units<line_shift>(a);
}

unsigned count_atomic_sectors(const lane_addresses& a) {
  if (a.shape.what == access_shape::pattern::one) return static_cast<unsigned>(std::popcount(a.mask));
  if (a.shape.is_range()) return count_sectors(a);
  // `turn`: the number of lower lanes that access the same word. The sectors of one turn are requested together.
  std::uint64_t seen[warp_size];
  unsigned count = 0;
  for (const unsigned l : lanes_in(a.mask)) {
    std::uint64_t turn = 0;
    for (unsigned before = 0; before < l; ++before)
      turn += (a.mask >> before & 1u) != 0 && a.by_lane[before] == a.by_lane[l] ? 1 : 0;
    const std::uint64_t key = (a.by_lane[l] >> sector_shift) * warp_size + turn;
    if (std::find(seen, seen + count, key) == seen + count) seen[count++] = key;
  }
  return count;
}

unsigned count_bank_conflicts(const lane_addresses& a) {
  if (a.shape.what != access_shape::pattern::scattered) return 0;
  // In a range as wide as all banks together, no two units are in the same bank.
  if ((a.shape.high + a.bytes - 1) / 4 - a.shape.low / 4 < warp_size) return 0;
  // `unit` is what a lane reads from its bank, or from the two or four neighbouring banks that serve it together. The
  // number of such groups is the number of lanes that are served at once, so all parts of the warp together have 32
  // places.
  const unsigned shift = a.bytes <= 4 ? 2 : a.bytes == 8 ? 3 : 4;
  const std::uint32_t width = warp_size >> (shift - 2);
  alignas(64) std::uint32_t unit[warp_size];
  alignas(64) std::uint8_t place[warp_size];
  std::uint32_t used = 0;
  for (std::uint32_t l = 0; l < warp_size; ++l) {
    unit[l] = static_cast<std::uint32_t>(a.by_lane[l] >> shift);
    const std::uint32_t at = (l & ~(width - 1)) | (unit[l] & (width - 1));
    const std::uint32_t active = a.mask >> l & 1u;
    used |= active << at;
    place[l] = static_cast<std::uint8_t>(at);
  }
  if (std::popcount(used) == std::popcount(a.mask)) return 0;
  return count_conflicts(unit, place, a.mask, width);
}

unsigned count_local_sectors(const lane_addresses& a) {
  // A sector holds one word of 8 neighbouring lanes.
  constexpr unsigned lanes_per_sector = 8;
  const auto shift = static_cast<unsigned>(std::countr_zero(std::max(a.bytes, 4u)));
  const unsigned words = std::max(a.bytes, 4u) / 4;
  unsigned sectors = 0;
  for (unsigned begin = 0; begin < warp_size; begin += lanes_per_sector) {
    const std::uint32_t lanes = a.mask >> begin & 0xffu;
    if (lanes == 0) continue;
    if (a.shape.what == access_shape::pattern::one) {
      sectors += words;
      continue;
    }
    std::uint32_t at[lanes_per_sector], repeated[lanes_per_sector] = {};
    for (unsigned l = 0; l < lanes_per_sector; ++l) at[l] = static_cast<std::uint32_t>(a.by_lane[begin + l] >> shift);
    for (unsigned k = 0; k + 1 < lanes_per_sector; ++k) {
      const std::uint32_t active = lanes >> k & 1u;
      for (unsigned l = 0; l < lanes_per_sector; ++l)
        repeated[l] |= active & static_cast<std::uint32_t>(l > k) & static_cast<std::uint32_t>(at[l] == at[k]);
    }
    unsigned distinct = 0;
    for (unsigned l = 0; l < lanes_per_sector; ++l) distinct += lanes >> l & 1u & (repeated[l] ^ 1u);
    sectors += distinct * words;
  }
  return sectors;
}

}  // namespace emulator::observers
