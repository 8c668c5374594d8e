#pragma once
/// \file
/// An experiment with the softmax of rows, and its scores.

#include <cstddef>
#include <string>
#include <vector>

#include "13_fused_pipelines/calls.hpp"
#include "workbook/study.hpp"

namespace chapter13 {

/// The size of a matrix.
struct matrix_shape {
  unsigned rows = 0, columns = 0;
};

/// Returns the shape of a matrix with at most `n` scores: rows of 1024 scores if n is a multiple of that, otherwise
/// rows whose length depends on n and is 1 to `max_columns`.
[[nodiscard]] matrix_shape shape_of_scores(std::size_t n);

/// Runs one method of the softmax on scores that the caller chooses.
class softmax_trial {
 public:
  virtual ~softmax_trial() = default;
  [[nodiscard]] virtual matrix_shape shape() const = 0;
  /// False if the type of the scores has no negative numbers.
  [[nodiscard]] virtual bool is_signed() const = 0;
  /// Returns the probabilities of these scores: NaN if nothing was written, infinity if the result is not a number.
  /// \throws workbook::device_error
  [[nodiscard]] virtual std::vector<double> outputs_of(const std::vector<double>& scores) = 0;
  /// Returns the same for the trial's original scores.
  [[nodiscard]] virtual std::vector<double> own_outputs() = 0;
  /// Returns the right probabilities for those. A value in `got` that is off only by rounding is returned instead.
  [[nodiscard]] virtual std::vector<double> wanted(const std::vector<double>& got) const = 0;
};

/// Makes a row of the table.
[[nodiscard]] workbook::specimen softmax_row(const std::string& heading, const way& w);

}  // namespace chapter13
