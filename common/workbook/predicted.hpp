#pragma once
/// \file
/// What kernels that ran on the emulator would take on the GPU that it stands for: predicted from their counts.

#include <cstddef>
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

/// Two columns for a table with a row for each kernel: the times at a size that was not run, predicted and measured.
/// All texts are empty if there are none.
class scaled_columns {
 public:
  explicit scaled_columns(const run_result& r);
  [[nodiscard]] std::size_t width() const;
  /// Returns the text of the two lines of the table's head.
  [[nodiscard]] std::string first() const;
  [[nodiscard]] std::string second() const;
  [[nodiscard]] std::string of_row(std::size_t row) const;
  /// Returns what the predicted times are worth: lines for the end of the table.
  [[nodiscard]] std::string below() const;

 private:
  const run_result& r_;
};

/// The same at a size that was not run: predicted, and measured if there is a record; and what limits it there. The
/// times at the size that was run stand before them, unless launches are most of these. Empty if no kernel ran.
[[nodiscard]] std::string scaled_table(const run_result& r, const model::chapter_error& error = {});

/// One kernel's time by term, as bars, and what would shorten it. Empty where it did not run.
[[nodiscard]] std::string predicted_parts(const model::gpu& on, const outcome& o);

}  // namespace workbook
