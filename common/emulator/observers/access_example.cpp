// Describes costly accesses for people.

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "emulator/observers/access_cost.hpp"

namespace emulator::observers {
namespace {

constexpr unsigned bank_count = 32;

/// Returns the distance from each active lane to the next if it is the same for all lanes; else 0.
std::int64_t stride_of(const std::uint64_t* address, std::uint32_t mask) {
  std::int64_t stride = 0;
  std::uint64_t previous = 0;
  unsigned lanes = 0;  // so far
  for (const unsigned l : lanes_in(mask)) {
    const auto step = static_cast<std::int64_t>(address[l] - previous);
    if (lanes > 1 && step != stride) return 0;
    if (lanes++ > 0) stride = step;
    previous = address[l];
  }
  return stride;
}

}  // namespace

conflict_example explain_conflict(const std::uint64_t* offsets, std::uint32_t mask, unsigned bytes) {
  // A unit is what a lane reads at once. The number of lanes served together is chosen so that their units fill all
  // banks.
  const unsigned unit_bytes = std::max(bytes, 4u);
  const unsigned together = warp_size * 4 / unit_bytes;
  conflict_example worst;
  worst.bytes_per_lane = bytes;
  for (unsigned begin = 0; begin < warp_size; begin += together) {
    // For each bank: the lanes that are the first to access a unit of it.
    std::map<unsigned, std::vector<unsigned>> lanes_of_bank;
    const std::uint32_t part = (together == warp_size ? ~0u : (1u << together) - 1u) << begin;
    for (const unsigned lane : lanes_in(mask & part)) {
      const std::uint64_t unit = offsets[lane] / unit_bytes;
      std::vector<unsigned>& there = lanes_of_bank[static_cast<unsigned>(unit * unit_bytes / 4 % bank_count)];
      const bool shared =
          std::any_of(there.begin(), there.end(), [&](unsigned other) { return offsets[other] / unit_bytes == unit; });
      if (!shared) there.push_back(lane);
    }
    for (const auto& [bank, lanes] : lanes_of_bank) {
      if (lanes.size() < 2 || lanes.size() <= worst.degree) continue;
      worst.degree = static_cast<std::uint32_t>(lanes.size());
      worst.bank = bank;
      worst.lanes[0] = lanes[0];
      worst.lanes[1] = lanes[1];
    }
  }
  if (worst.degree != 0) worst.stride_bytes = stride_of(offsets, mask);
  return worst;
}

request_example explain_request(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes) {
  request_example result;
  result.bytes_per_lane = bytes;
  result.lanes = static_cast<std::uint32_t>(std::popcount(mask));
  const unsigned sectors = count_sectors({addresses, mask, bytes});
  result.ideal = ideal_sectors(mask, bytes, sectors);
  if (sectors > result.ideal) {
    result.sectors = sectors;
    result.stride_bytes = stride_of(addresses, mask);
  }
  return result;
}

}  // namespace emulator::observers
