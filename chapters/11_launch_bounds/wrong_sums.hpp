#pragma once
/// \file
/// Explains why the largest sums of chapter 11 are wrong: which terms are ignored, and which elements replace others.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "workbook/study.hpp"

namespace chapter11 {

/// The launch parameters of a kernel.
struct sums_shape {
  unsigned points = 0, terms = 0;
  std::size_t pitch = 0;
  unsigned width = 1;             ///< Points per thread.
  unsigned points_per_block = 0;  ///< Points that a block of the launch handles.
  bool is_signed = true;
};

/// Runs a kernel on inputs that the caller chooses: whole numbers that are exact in every element type.
class sums_trial : public workbook::experiment {
 public:
  [[nodiscard]] virtual sums_shape shape() const = 0;
  /// Runs on the problem's own input. NaN if nothing was written. \throws workbook::device_error
  [[nodiscard]] virtual std::vector<double> outputs() = 0;
  /// Returns the right outputs for that input.
  [[nodiscard]] virtual std::vector<double> wanted() const = 0;
  /// Runs on `terms` rows of `pitch` elements (`big`), and `terms` elements (`small`). \throws workbook::device_error
  [[nodiscard]] virtual std::vector<double> outputs_of(const std::vector<double>& big,
                                                       const std::vector<double>& small) = 0;
};

using sums_maker = std::function<std::unique_ptr<sums_trial>(const workbook::problem&)>;

/// Finds out why a kernel's result for `failed` was wrong.
[[nodiscard]] std::optional<workbook::explanation> explain_sums(const workbook::problem& failed,
                                                                const sums_maker& make);

}  // namespace chapter11
