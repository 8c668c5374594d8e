#pragma once
/// \file
/// Why the largest sums of chapter 11 are wrong: which terms never count, and which elements stand in for others.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "workbook/study.hpp"

namespace chapter11 {

/// What a kernel is launched with.
struct sums_shape {
  unsigned points = 0, terms = 0;
  std::size_t pitch = 0;
  unsigned width = 1;             ///< Points of a thread.
  unsigned points_per_block = 0;  ///< Of a launch.
  bool is_signed = true;
};

/// Runs one kernel on inputs that the caller chooses: whole numbers that every element type holds.
class sums_trial : public workbook::experiment {
 public:
  [[nodiscard]] virtual sums_shape shape() const = 0;
  /// Runs on the problem's own input. NaN where nothing was written. \throws workbook::device_error
  [[nodiscard]] virtual std::vector<double> outputs() = 0;
  /// What that input should give.
  [[nodiscard]] virtual std::vector<double> wanted() const = 0;
  /// Runs on `terms` rows of `pitch` elements, and `terms` elements. \throws workbook::device_error
  [[nodiscard]] virtual std::vector<double> outputs_of(const std::vector<double>& big,
                                                       const std::vector<double>& small) = 0;
};

using sums_maker = std::function<std::unique_ptr<sums_trial>(const workbook::problem&)>;

/// Finds out what a kernel does whose result for `failed` was wrong.
[[nodiscard]] std::optional<workbook::explanation> explain_sums(const workbook::problem& failed,
                                                                const sums_maker& make);

}  // namespace chapter11
