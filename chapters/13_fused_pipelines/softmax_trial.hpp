#pragma once
/// \file
/// The softmax of rows as an experiment, and its scores.

#include <cstddef>
#include <string>
#include <vector>

#include "13_fused_pipelines/calls.hpp"
#include "workbook/study.hpp"

namespace chapter13 {

/// A matrix.
struct matrix_shape {
  unsigned rows = 0, columns = 0;
};

/// Returns the shape of the scores for a count of `n` elements, at most n of them: rows of 1024 if n is a multiple of
/// that, otherwise rows of some length from 1 to `max_columns` that depends on n.
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
  /// Returns the same for its original scores.
  [[nodiscard]] virtual std::vector<double> own_outputs() = 0;
  /// Returns the right probabilities of these. If `got` differs only by rounding, its value is returned.
  [[nodiscard]] virtual std::vector<double> wanted(const std::vector<double>& got) const = 0;
};

/// Makes a row of the table.
[[nodiscard]] workbook::specimen softmax_row(const std::string& heading, const way& w);

}  // namespace chapter13
