#pragma once
/// \file
/// Where the segments of chapter 15's input begin and end.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace chapter15 {

/// How long the segments of an input are.
struct lengths {
  unsigned each = 0;  ///< All have so many elements, but for the last, which may have fewer; 0: uneven.
};
inline constexpr lengths uneven{};

/// Returns the segments + 1 offsets of segments that share `n` elements. Uneven ones are as customers and words are:
/// the longest has a tenth or so of all elements, the one of rank r has 1 / r of that (Zipf's law), so that more than
/// half have fewer than seven; every eighth or so has none. The longest is the first, the others stand in an order that
/// `seed` shuffles. There are n / 16 + 8 of them.
[[nodiscard]] std::vector<unsigned> offsets_of(lengths how, std::size_t n, std::uint64_t seed);

}  // namespace chapter15
