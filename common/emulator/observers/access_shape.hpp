#pragma once
/// \file
/// The pattern of a warp's addresses: most accesses are a row or a single place, and those are cheap to judge.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "emulator/memory/global_memory.hpp"
#include "emulator/observers/event.hpp"

namespace emulator::observers {

/// How the active lanes' addresses lie.
struct access_shape {
  enum class pattern : std::uint8_t {
    row,       ///< Lane l's address is `base + l * bytes`: neighbours, in the lanes' order. So is a single lane's.
    one,       ///< All the same: `base`.
    scattered  ///< Anything else.
  };
  pattern what = pattern::scattered;
  bool gapless = false;    ///< The active lanes are neighbours.
  unsigned first = 0;      ///< Lowest active lane.
  unsigned last = 0;       ///< Highest active lane.
  std::uint64_t base = 0;  ///< Of a row: where lane 0 would be, active or not (modulo 2^64).

  /// A row without a gap: one range of bytes, [begin(), end()).
  [[nodiscard]] bool is_range() const { return what == pattern::row && gapless; }
};

/// An ordinary load or store (none of the kinds that the memory model orders) whose lanes lie in a row or at one place:
/// what nearly all accesses are. Or a load of one word by each lane, all of them among 32 neighbouring words of shared
/// memory (`shape.what` is scattered).
struct simple_access {
  std::uint32_t warp = 0;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;                ///< Active lanes; not 0.
  std::uint32_t bytes = 4;               ///< Each lane's: 4, 8 or 16.
  bool loads = false;                    ///< Else it stores.
  bool in_shared = false;                ///< In the block's shared memory; else in global memory.
  access_shape shape;                    ///< Of the addresses, as in `memory_event`.
  std::uint64_t begin = 0;               ///< The lowest address, …
  std::uint64_t end = 0;                 ///< … and where the highest one's bytes end.
  const std::uint32_t* words = nullptr;  ///< Scattered: by active lane, how many words behind `begin` its own is.
  memory::allocation* in = nullptr;      ///< Global: where all of it lies.
};

/// Looks at the addresses of the lanes in `mask` (not 0), which are multiples of `bytes`, a power of two.
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
  return shape;
}

/// The lowest and the highest of some addresses.
struct address_ends {
  std::uint64_t low = 0, high = 0;
};

/// Returns those of the lanes in `mask` (not 0).
[[nodiscard]] inline address_ends ends_of(const std::uint64_t* addresses, std::uint32_t mask) {
  const std::uint64_t some = addresses[std::countr_zero(mask)];
  address_ends ends{some, some};
  for (unsigned l = 0; l < warp_size; ++l) {
    const std::uint64_t own = (mask >> l & 1u) != 0 ? addresses[l] : some;
    ends.low = std::min(ends.low, own);
    ends.high = std::max(ends.high, own);
  }
  return ends;
}

}  // namespace emulator::observers
