#pragma once
/// \file
/// What the model says of the last step of chapter 14's kernels.

#include <string>

#include "14_shuffle_trees/notes.hpp"
#include "14_shuffle_trees/sum_kernel.hpp"
#include "workbook/study.hpp"

namespace chapter14 {

/// Runs a kernel that writes notes, such as `sum_kernel::writes_down`. \throws workbook::device_error
[[nodiscard]] notes read_notes(const void* kernel);

/// Returns what the first warp does with its values, asked of `writes_down` where there is one; that runs on the
/// selected device. \throws superopt::bad_input  where it is no program of the model; workbook::device_error
[[nodiscard]] superopt::program last_step_of(const sum_kernel& kernel);

/// Cycles that the last step of a kernel takes by the cost table `turing`; NaN where it is not modelled, or does not
/// compute the sum in lane 0.
[[nodiscard]] double modelled_cycles(const sum_kernel& kernel);

/// Makes a row of the table.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, const sum_kernel& kernel);

/// All rows of the chapter's table.
[[nodiscard]] workbook::study table_of_sums();

/// Finds the modelled cycles of a row of the table; NaN, too, where its kernel shuffles less than it has written down.
[[nodiscard]] double modelled_cycles_of(const workbook::outcome& row);

}  // namespace chapter14
