#pragma once
/// \file
/// The experiment that each of chapter 15's kernels is, and where the segments of its input begin and end.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "15_beyond_the_sum/segments_kernel.hpp"
#include "workbook/study.hpp"

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

/// Makes a row of the table.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, segments_kernel kernel, lengths how);

/// All rows of the chapter's table: each way on segments of three lengths, and on uneven ones, where the exercise is.
[[nodiscard]] workbook::study table_of_segments();

/// How often in a row the block that takes longest waits for memory. NaN where nothing was counted.
[[nodiscard]] double journeys(const workbook::outcome& o);

/// Returns the load requests of all launches for each 8 elements. A request of a full warp brings up to 32.
[[nodiscard]] double requests_per_8_elements(const workbook::outcome& o);

}  // namespace chapter15
