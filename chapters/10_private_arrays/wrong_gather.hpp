#pragma once
/// \file
/// Explains why a gather of chapter 10 is wrong: which elements of the private arrays are never read, are read instead
/// of other elements, or belong to another thread.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "workbook/study.hpp"

namespace chapter10 {

/// Elements of a private array.
inline constexpr unsigned array_length = 32;

/// Runs a kernel on inputs that the caller chooses: whole numbers that are exact in every element type.
class gather_trial : public workbook::experiment {
 public:
  [[nodiscard]] virtual std::size_t threads() const = 0;
  /// Runs on the problem's own input. NaN if nothing was written. \throws workbook::device_error
  [[nodiscard]] virtual std::vector<double> outputs() = 0;
  /// Returns the right outputs for that input.
  [[nodiscard]] virtual std::vector<double> wanted() const = 0;
  /// Returns true if reading each element of that input once gives right outputs. \throws workbook::device_error
  [[nodiscard]] virtual bool is_right_in_one_turn() = 0;
  /// Each thread reads each of its elements once. `in` has 32 elements per thread, element k of thread t at k *
  /// threads() + t; `starts` has the element at which each thread begins. \throws workbook::device_error
  [[nodiscard]] virtual std::vector<double> outputs_of(const std::vector<double>& in,
                                                       const std::vector<unsigned>& starts) = 0;
};

using gather_maker = std::function<std::unique_ptr<gather_trial>(const workbook::problem&)>;

/// Finds out why a kernel's result for `failed` was wrong.
[[nodiscard]] std::optional<workbook::explanation> explain_gather(const workbook::problem& failed,
                                                                  const gather_maker& make);

}  // namespace chapter10
