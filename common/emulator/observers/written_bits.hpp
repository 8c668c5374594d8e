#pragma once
/// \file
/// A bit for each byte of shared memory: whether it has been written. Functions of their own in each file that takes
/// them, since files are compiled for different processors (shared_rows.cpp).

#include <cstdint>

namespace emulator::observers {

/// Says whether all bytes [begin, end), which are some, have been written.
[[maybe_unused, nodiscard]] static inline bool all_written(const std::uint64_t* bits, std::uint64_t begin,
                                                           std::uint64_t end) {
  const std::uint64_t first = begin / 64, last = (end - 1) / 64;
  const std::uint64_t from = ~std::uint64_t{0} << begin % 64;
  const std::uint64_t to = ~std::uint64_t{0} >> (63 - (end - 1) % 64);
  if (first == last) return (~bits[first] & from & to) == 0;
  std::uint64_t missing = (~bits[first] & from) | (~bits[last] & to);
  for (std::uint64_t between = first + 1; between < last; ++between) missing |= ~bits[between];
  return missing == 0;
}

/// Notes that they have been.
[[maybe_unused]] static inline void note_written(std::uint64_t* bits, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = begin / 64, last = (end - 1) / 64;
  const std::uint64_t from = ~std::uint64_t{0} << begin % 64;
  const std::uint64_t to = ~std::uint64_t{0} >> (63 - (end - 1) % 64);
  if (first == last) {
    bits[first] |= from & to;
    return;
  }
  bits[first] |= from;
  for (std::uint64_t between = first + 1; between < last; ++between) bits[between] = ~std::uint64_t{0};
  bits[last] |= to;
}

}  // namespace emulator::observers
