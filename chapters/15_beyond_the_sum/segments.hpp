#pragma once
/// \file
/// The experiment that each of chapter 15's kernels is.

#include <string>

#include "15_beyond_the_sum/offsets.hpp"
#include "15_beyond_the_sum/segments_kernel.hpp"
#include "workbook/study.hpp"

namespace chapter15 {

/// Makes a row of the table.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, segments_kernel kernel, lengths how);

/// All rows of the chapter's table: each way on segments of three lengths, and on uneven ones, where the exercise is.
[[nodiscard]] workbook::study table_of_segments();

/// How often in a row the block that takes longest waits for memory. NaN where nothing was counted.
[[nodiscard]] double journeys(const workbook::outcome& o);

/// The goal's count: those, and the requests beyond one for 8 elements: where lanes take part, one brings up to 32.
[[nodiscard]] double journeys_and_requests(const workbook::outcome& o);

}  // namespace chapter15
