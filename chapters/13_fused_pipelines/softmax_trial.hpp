#pragma once
/// \file
/// The softmax of rows as an experiment, and the scores that it is given.

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

/// Returns the shape of the scores that a count of `n` elements stands for, at most n of them: rows of 1024 if n is a
/// multiple of that, and else rows of some length of 1 to `most_columns` that depends on n.
[[nodiscard]] matrix_shape shape_of_scores(std::size_t n);

/// Runs one way to the softmax on scores that the caller chooses.
class softmax_trial {
 public:
  virtual ~softmax_trial() = default;
  [[nodiscard]] virtual matrix_shape shape() const = 0;
  /// False if the type of the scores has no negative numbers.
  [[nodiscard]] virtual bool is_signed() const = 0;
  /// Returns the probabilities of these scores: NaN where nothing was written, infinite where that is no number.
  /// \throws workbook::device_error
  [[nodiscard]] virtual std::vector<double> outputs_of(const std::vector<double>& scores) = 0;
  /// The same for the scores that it came with.
  [[nodiscard]] virtual std::vector<double> own_outputs() = 0;
  /// What they should be. A right output differs by rounding only, and is given as it is in `got`.
  [[nodiscard]] virtual std::vector<double> wanted(const std::vector<double>& got) const = 0;
};

/// Makes a row of the table.
[[nodiscard]] workbook::specimen softmax_row(const std::string& heading, const way& w);

}  // namespace chapter13
