#pragma once
/// \file
/// The last step of chapter 14's kernels as the model sees it, and the chapter's table.

#include <string>

#include "14_shuffle_trees/notes.hpp"
#include "14_shuffle_trees/sum_kernel.hpp"
#include "workbook/study.hpp"

namespace chapter14 {

/// Runs a kernel that writes notes, such as `sum_kernel::writes_down`, and returns them. \throws workbook::device_error
[[nodiscard]] notes read_notes(const void* kernel);

/// Returns what the first warp does with its values. If `writes_down` isn't null, runs it on the selected device to
/// find out. \throws superopt::bad_input  if that is not a program of the model; workbook::device_error
[[nodiscard]] superopt::program last_step_of(const sum_kernel& kernel);

/// Returns the cycles of a kernel's last step by the cost table `turing`. Returns NaN if the step is not modelled or
/// doesn't compute the sum in lane 0.
[[nodiscard]] double modelled_cycles(const sum_kernel& kernel);

/// Makes a row of the table.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, const sum_kernel& kernel);

/// Returns the chapter's table, with all rows.
[[nodiscard]] workbook::study table_of_sums();

/// Returns the modelled cycles of a row. Returns NaN, too, if its kernel shuffles less than it has recorded.
[[nodiscard]] double modelled_cycles_of(const workbook::outcome& row);

}  // namespace chapter14
