#pragma once
/// \file
/// Times of kernels on the GPU that the emulator represents, predicted from their counts.

#include <cstddef>
#include <string>

#include "timing/model/gpu.hpp"
#include "timing/model/prediction.hpp"
#include "workbook/measure.hpp"
#include "workbook/table.hpp"

namespace workbook {

/// Returns the predicted time of all launches of a kernel. It is unknown if the kernel is wrong or unsafe, or if its
/// host code waits for the device.
[[nodiscard]] model::prediction prediction_of(const model::machine& m, const outcome& o);

/// Returns a line for each kernel with its time, rate and limit, and lines about the accuracy of the times. Empty if no
/// kernel ran.
/// \param timed  the same kernels and input on a GPU, or null. If that GPU is the predicted one, its times are shown
///               next to the predictions, and differences that exceed the model's error are pointed out
/// \param error  the typical error of predictions for these kernels
[[nodiscard]] std::string predicted_table(const run_result& r, const run_result* timed = nullptr,
                                          const model::chapter_error& error = {});

/// Two columns for a table with a row per kernel: predicted and measured times at a size that was not run. All texts
/// are empty if there are no such times.
class scaled_columns {
 public:
  explicit scaled_columns(const run_result& r);
  [[nodiscard]] std::size_t width() const;
  /// Returns the text of the two lines of the table's head.
  [[nodiscard]] std::string first() const;
  [[nodiscard]] std::string second() const;
  [[nodiscard]] std::string of_row(std::size_t row) const;
  /// Returns lines for the end of the table, about the accuracy of the predicted times.
  [[nodiscard]] std::string below() const;

 private:
  const run_result& r_;
};

/// Returns a table for a size that was not run: predicted times, measured ones if there is a record, and the limit at
/// that size. The times at the size that was run are shown first, unless launches dominate most of them. Empty if no
/// kernel ran.
[[nodiscard]] std::string scaled_table(const run_result& r, const model::chapter_error& error = {});

/// Returns one kernel's predicted time by term, as bars, and what would shorten it. Empty if the kernel did not run.
[[nodiscard]] std::string predicted_parts(const model::gpu& on, const outcome& o);

}  // namespace workbook
