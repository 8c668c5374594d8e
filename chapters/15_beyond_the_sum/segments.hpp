#pragma once
/// \file
/// The experiments that run chapter 15's kernels, and the offsets of their segments.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "15_beyond_the_sum/segments_kernel.hpp"
#include "workbook/study.hpp"

namespace chapter15 {

/// The lengths of an input's segments.
struct lengths {
  unsigned each = 0;  ///< The length of all segments except the last, which may be shorter. 0: lengths are uneven.
};
inline constexpr lengths uneven{};

/// Returns the offsets of segments that together hold `n` elements, one more than there are segments. Uneven lengths
/// follow Zipf's law, like the frequencies of words: the longest segment has about 1 / 7.5 of all 2^15 elements and
/// 1 / 13 of 2^24, and the one of rank r has 1 / r of that, so more than half have fewer than seven. About every eighth
/// segment is empty. The longest comes first, and `seed` shuffles the others. There are n / 16 + 8 segments of uneven
/// lengths.
[[nodiscard]] std::vector<unsigned> offsets_of(lengths how, std::size_t n, std::uint64_t seed);

/// Makes a row of the table.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, segments_kernel kernel, lengths how);

/// Returns the chapter's table: each method for three lengths of segments, and for uneven ones, with the exercise.
[[nodiscard]] workbook::study table_of_segments();

/// Returns the largest number of dependent memory accesses of any block. NaN if nothing was counted.
[[nodiscard]] double journeys(const workbook::outcome& o);

/// Returns the load requests of all launches for each 8 elements. A request of a full warp loads up to 32.
[[nodiscard]] double requests_per_8_elements(const workbook::outcome& o);

}  // namespace chapter15
