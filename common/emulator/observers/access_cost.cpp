#include "emulator/observers/access_cost.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace emulator::observers {
namespace {

constexpr unsigned warp_size = 32;
constexpr std::uint32_t all_lanes = 0xffffffffu;
constexpr unsigned sector_shift = 5;

/// Says whether lane l's address is that of lane 0 plus l * bytes, for all lanes.
bool unit_stride(const std::uint64_t* address, unsigned bytes) {
  std::uint64_t differs = 0;
  const std::uint64_t first = address[0];
  for (std::uint64_t l = 0; l < warp_size; ++l) differs |= (address[l] - first) ^ (l * bytes);
  return differs == 0;
}

/// Writes the sectors of the active lanes to `out` in the lanes' order; inactive lanes repeat a neighbour's.
void sectors_of(const std::uint64_t* address, std::uint32_t mask, std::uint64_t* out) {
  if (mask == all_lanes) {
    for (unsigned l = 0; l < warp_size; ++l) out[l] = address[l] >> sector_shift;
    return;
  }
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const unsigned last = warp_size - 1 - static_cast<unsigned>(std::countl_zero(mask));
  const std::uint32_t run = mask >> first;
  if ((run & (run + 1)) == 0) {  // one run of lanes
    const std::uint64_t low = address[first] >> sector_shift;
    const std::uint64_t high = address[last] >> sector_shift;
    for (unsigned l = 0; l < warp_size; ++l) {
      const std::uint64_t own = address[l] >> sector_shift;
      out[l] = l < first ? low : l > last ? high : own;
    }
    return;
  }
  std::uint64_t recent = address[first] >> sector_shift;
  for (unsigned l = 0; l < warp_size; ++l) {
    if ((mask >> l & 1u) != 0) recent = address[l] >> sector_shift;
    out[l] = recent;
  }
}

/// Counts the distinct values among 32.
unsigned count_distinct(const std::uint64_t* value) {
  const auto [low, high] = std::minmax_element(value, value + warp_size);
  constexpr std::uint64_t window = 512;
  if (*high - *low < window) {
    std::uint64_t seen[window / 64] = {};
    for (unsigned l = 0; l < warp_size; ++l) {
      const std::uint64_t at = value[l] - *low;
      seen[at / 64] |= std::uint64_t{1} << (at % 64);
    }
    unsigned count = 0;
    for (const std::uint64_t bits : seen) count += static_cast<unsigned>(std::popcount(bits));
    return count;
  }
  unsigned count = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    bool repeated = false;
    for (unsigned k = 0; k < l; ++k) repeated |= value[k] == value[l];
    count += repeated ? 0 : 1;
  }
  return count;
}

/// The most distinct units in a bank, for each part of the warp: conflicts are these, less one where there are any.
unsigned sum_of_conflicts(const std::uint8_t* in_bank, unsigned width) {
  unsigned conflicts = 0;
  for (unsigned begin = 0; begin < warp_size; begin += width) {
    std::uint8_t most = 0;
    for (unsigned k = 0; k < width; ++k) most = std::max(most, in_bank[begin + k]);
    if (most > 1) conflicts += most - 1u;
  }
  return conflicts;
}

}  // namespace

unsigned count_sectors(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes) {
  if (mask == all_lanes && unit_stride(addresses, bytes)) {
    const std::uint64_t end = addresses[0] + std::uint64_t{warp_size} * bytes - 1;
    return static_cast<unsigned>((end >> sector_shift) - (addresses[0] >> sector_shift)) + 1;
  }
  alignas(64) std::uint64_t sector[warp_size];
  sectors_of(addresses, mask, sector);
  // Addresses that never fall, which is nearly all: each change is a new sector.
  std::uint64_t changes = 0;
  std::uint64_t falls = 0;
  for (unsigned l = 1; l < warp_size; ++l) {
    changes += sector[l] != sector[l - 1] ? 1 : 0;
    falls += sector[l] < sector[l - 1] ? 1 : 0;
  }
  return falls == 0 ? static_cast<unsigned>(changes) + 1 : count_distinct(sector);
}

unsigned count_bank_conflicts(const std::uint64_t* offsets, std::uint32_t mask, unsigned bytes) {
  // `unit`: what a lane takes from its bank, or from two or four neighbouring ones that serve it together. There are as
  // many such places as lanes served at once, so the parts of the warp have 32 places between them.
  const unsigned shift = bytes <= 4 ? 2 : bytes == 8 ? 3 : 4;
  const unsigned width = warp_size >> (shift - 2);
  alignas(64) std::uint32_t unit[warp_size];
  alignas(64) std::uint32_t place[warp_size];
  std::uint32_t used = 0;
  std::uint32_t differs = 0;
  const auto first = static_cast<std::uint32_t>(offsets[std::countr_zero(mask)] >> shift);
  for (unsigned l = 0; l < warp_size; ++l) {
    unit[l] = static_cast<std::uint32_t>(offsets[l] >> shift);
    place[l] = (l & ~(width - 1)) | (unit[l] & (width - 1));
    const std::uint32_t active = mask >> l & 1u;
    used |= active << place[l];
    differs |= active * (unit[l] ^ first);
  }
  if (std::popcount(used) == std::popcount(mask) || differs == 0) return 0;

  alignas(64) std::uint8_t in_bank[warp_size] = {};
  bool rising = true;
  std::uint32_t previous = 0;
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    rising &= unit[l] > previous || m == mask;
    previous = unit[l];
    ++in_bank[place[l]];
  }
  if (rising) return sum_of_conflicts(in_bank, width);  // no unit twice

  std::uint32_t units[warp_size][warp_size];  // by place: the distinct units there
  std::fill(in_bank, in_bank + warp_size, std::uint8_t{0});
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    std::uint32_t* const here = units[place[l]];
    std::uint8_t& count = in_bank[place[l]];
    if (std::find(here, here + count, unit[l]) == here + count) here[count++] = unit[l];
  }
  return sum_of_conflicts(in_bank, width);
}

unsigned count_local_sectors(const std::uint64_t* offsets, std::uint32_t mask, unsigned bytes) {
  // A sector holds one word of 8 neighbouring lanes.
  constexpr unsigned lanes_per_sector = 8;
  const unsigned shift = static_cast<unsigned>(std::countr_zero(std::max(bytes, 4u)));
  const unsigned words = std::max(bytes, 4u) / 4;
  unsigned sectors = 0;
  for (unsigned begin = 0; begin < warp_size; begin += lanes_per_sector) {
    std::uint64_t seen[lanes_per_sector];
    unsigned count = 0;
    for (std::uint32_t m = mask >> begin & 0xffu; m != 0; m &= m - 1) {
      const std::uint64_t at = offsets[begin + static_cast<unsigned>(std::countr_zero(m))] >> shift;
      if (std::find(seen, seen + count, at) == seen + count) seen[count++] = at;
    }
    sectors += count * words;
  }
  return sectors;
}

}  // namespace emulator::observers
