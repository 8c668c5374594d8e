#pragma once
/// \file
/// The pattern of a warp's addresses. Most accesses are contiguous or uniform, and those are cheap to check.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "emulator/observers/event.hpp"

namespace emulator::observers {

/// The pattern of the active lanes' addresses.
struct access_shape {
  enum class pattern : std::uint8_t {
    row,       ///< Contiguous: lane l's address is `base + l * bytes`. A single lane is contiguous, too.
    one,       ///< Uniform: all addresses are `base`.
    scattered  ///< Anything else.
  };
  pattern what = pattern::scattered;
  bool gapless = false;             ///< No lane between the first and the last active one is inactive.
  unsigned first = 0;               ///< Lowest active lane.
  unsigned last = 0;                ///< Highest active lane.
  std::uint64_t base = 0;           ///< If contiguous: the address that belongs to lane 0, active or not (modulo 2^64).
  std::uint64_t low = 0, high = 0;  ///< The lowest and the highest address of the active lanes.

  /// Returns true if it is contiguous without a gap: one range of bytes, from `low` to `high` plus the bytes of a lane.
  [[nodiscard]] bool is_range() const { return what == pattern::row && gapless; }
};

/// Returns the shape of the addresses of the lanes in `mask` (not 0). Addresses are multiples of `bytes`, a power of
/// two.
[[nodiscard]] inline access_shape shape_of(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes) {
  access_shape shape;
  shape.first = static_cast<unsigned>(std::countr_zero(mask));
  shape.last = warp_size - 1 - static_cast<unsigned>(std::countl_zero(mask));
  const std::uint32_t run = mask >> shape.first;
  shape.gapless = (run & (run + 1)) == 0;
  const auto shift = static_cast<unsigned>(std::countr_zero(bytes));
  const std::uint64_t some = addresses[shape.first];
  const std::uint64_t base = some - (std::uint64_t{shape.first} << shift);
  std::uint64_t off_row = 0;
  std::uint64_t off_one = 0;
  if (mask == 0xffffffffu) {
    for (std::uint64_t l = 0; l < warp_size; ++l) {
      off_row |= addresses[l] ^ (base + (l << shift));
      off_one |= addresses[l] ^ some;
    }
  } else {
    for (std::uint64_t l = 0; l < warp_size; ++l) {
      const std::uint64_t active = 0 - static_cast<std::uint64_t>(mask >> l & 1u);
      off_row |= active & (addresses[l] ^ (base + (l << shift)));
      off_one |= active & (addresses[l] ^ some);
    }
  }
  shape.what = off_row == 0   ? access_shape::pattern::row
               : off_one == 0 ? access_shape::pattern::one
                              : access_shape::pattern::scattered;
  shape.base = off_row == 0 ? base : some;
  shape.low = some;
  shape.high = addresses[shape.last];
  if (shape.what != access_shape::pattern::scattered) return shape;
  for (unsigned l = 0; l < warp_size; ++l) {
    const std::uint64_t own = (mask >> l & 1u) != 0 ? addresses[l] : some;
    shape.low = std::min(shape.low, own);
    shape.high = std::max(shape.high, own);
  }
  return shape;
}

}  // namespace emulator::observers
