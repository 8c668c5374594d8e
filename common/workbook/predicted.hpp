#pragma once
/// \file
/// What kernels that ran on the emulator would take on the GPU that it stands for: predicted from their counts.

#include <string>

#include "model/gpu.hpp"
#include "model/prediction.hpp"
#include "workbook/measure.hpp"
#include "workbook/table.hpp"

namespace workbook {

/// The time of all launches of a kernel; none of one that is wrong or unsafe.
[[nodiscard]] model::prediction prediction_of(const model::machine& m, const outcome& o);

/// A line for each kernel: time, rate, and what limits it; and what the times are worth. Empty where no kernel ran.
/// \param timed  the same kernels and input on a GPU, or null: where it is the one that is predicted, its times stand
///               beside, and it is said where the two are further apart than the model's error
/// \param error  how far predictions for these kernels are off
[[nodiscard]] std::string predicted_table(const run_result& r, const run_result* timed = nullptr,
                                          const model::chapter_error& error = {});

/// One kernel's time by term, as bars, and what would shorten it. Empty where it did not run.
[[nodiscard]] std::string predicted_parts(const model::gpu& on, const outcome& o);

}  // namespace workbook
