#pragma once
/// \file
/// Explains why vectors are wrong after an all-reduce: whose elements are missing or counted more than once, and where.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "workbook/measure.hpp"

namespace chapter16 {

/// Runs a kernel on vectors that the caller chooses.
class all_reduce_trial {
 public:
  virtual ~all_reduce_trial() = default;
  [[nodiscard]] virtual unsigned members() const = 0;
  [[nodiscard]] virtual unsigned count() const = 0;
  /// Returns every GPU's vector after an all-reduce of ones on GPU `member` and zeros on the others, which shows how
  /// often the elements of `member` are counted. \throws workbook::device_error
  [[nodiscard]] virtual std::vector<std::vector<double>> sums_where_one_counts(unsigned member) = 0;
  /// Returns every GPU's vector after only one GPU has done one step. \throws workbook::device_error
  [[nodiscard]] virtual std::vector<std::vector<double>> after_step(unsigned step, unsigned member,
                                                                    const std::vector<std::vector<double>>& before) = 0;
};

using all_reduce_maker = std::function<std::unique_ptr<all_reduce_trial>(const workbook::problem&)>;

/// Finds out why a kernel's result for `failed` was wrong.
[[nodiscard]] std::optional<workbook::explanation> explain_all_reduce(const workbook::problem& failed,
                                                                      const all_reduce_maker& make);

/// If GPUs read or write elements that another GPU writes in the same step, combines all findings about that into one,
/// which names the GPUs, the step, the chunk and the lines.
void retell_race_of_steps(const workbook::problem& failed, workbook::outcome& o, const all_reduce_maker& make);

}  // namespace chapter16
