#pragma once
/// \file
/// A bit for each byte of shared memory that is set if the byte has been written.

#include <bit>
#include <cstdint>

namespace emulator::observers {

/// The bits, and the number of bits that aren't set. It soon becomes 0, and then the bits need not be looked at.
struct written_bytes {
  std::uint64_t* bits = nullptr;
  std::uint64_t missing = 0;
};

/// Returns true if all bytes of the non-empty range [begin, end) have been written.
[[nodiscard]] inline bool all_written(const written_bytes& of, std::uint64_t begin, std::uint64_t end) {
  if (of.missing == 0) return true;
  const std::uint64_t first = begin / 64, last = (end - 1) / 64;
  const std::uint64_t from = ~std::uint64_t{0} << begin % 64;
  const std::uint64_t to = ~std::uint64_t{0} >> (63 - (end - 1) % 64);
  if (first == last) return (~of.bits[first] & from & to) == 0;
  std::uint64_t missing = (~of.bits[first] & from) | (~of.bits[last] & to);
  for (std::uint64_t between = first + 1; between < last; ++between) missing |= ~of.bits[between];
  return missing == 0;
}

/// Marks bytes as written: those whose bits are set in `bits`, which is a mask for the bits at index `word`.
inline void note_written_in(written_bytes& of, std::uint64_t word, std::uint64_t bits) {
  of.missing -= static_cast<std::uint64_t>(std::popcount(bits & ~of.bits[word]));
  of.bits[word] |= bits;
}

/// Marks all bytes of the non-empty range [begin, end) as written.
inline void note_written(written_bytes& of, std::uint64_t begin, std::uint64_t end) {
  if (of.missing == 0) return;
  const std::uint64_t first = begin / 64, last = (end - 1) / 64;
  const std::uint64_t from = ~std::uint64_t{0} << begin % 64;
  const std::uint64_t to = ~std::uint64_t{0} >> (63 - (end - 1) % 64);
  if (first == last) return note_written_in(of, first, from & to);
  note_written_in(of, first, from);
  for (std::uint64_t between = first + 1; between < last; ++between) note_written_in(of, between, ~std::uint64_t{0});
  note_written_in(of, last, to);
}

}  // namespace emulator::observers
