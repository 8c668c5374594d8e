#pragma once
/// \file
/// Why vectors are wrong after chapter 16's all-reduce: whose elements are missing where, or count more than once.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "workbook/measure.hpp"

namespace chapter16 {

/// Runs one kernel on vectors that the caller chooses.
class all_reduce_trial {
 public:
  virtual ~all_reduce_trial() = default;
  [[nodiscard]] virtual unsigned members() const = 0;
  [[nodiscard]] virtual unsigned count() const = 0;
  /// Returns every GPU's vector after an all-reduce of ones on GPU `member` and zeros on all others: how often its
  /// elements count. \throws workbook::device_error
  [[nodiscard]] virtual std::vector<std::vector<double>> sums_where_one_counts(unsigned member) = 0;
};

using all_reduce_maker = std::function<std::unique_ptr<all_reduce_trial>(const workbook::problem&)>;

/// Finds out what a kernel does whose result for `failed` was wrong.
[[nodiscard]] std::optional<workbook::explanation> explain_all_reduce(const workbook::problem& failed,
                                                                      const all_reduce_maker& make);

}  // namespace chapter16
