#pragma once
/// \file
/// Why a gather of chapter 10 is wrong: which elements of the private arrays are never read, read in the place of
/// others, or another thread's.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "workbook/study.hpp"

namespace chapter10 {

/// Elements of a private array.
inline constexpr unsigned array_length = 32;

/// Runs one kernel on inputs that the caller chooses: whole numbers that every element type holds.
class gather_trial : public workbook::experiment {
 public:
  [[nodiscard]] virtual std::size_t threads() const = 0;
  /// Runs on the problem's own input. NaN where nothing was written. \throws workbook::device_error
  [[nodiscard]] virtual std::vector<double> outputs() = 0;
  /// What that input should give.
  [[nodiscard]] virtual std::vector<double> wanted() const = 0;
  /// Says whether that input comes out right where each element is read once only. \throws workbook::device_error
  [[nodiscard]] virtual bool is_right_in_one_turn() = 0;
  /// Reads each element once. Runs on 32 elements a thread, element k of thread t at k * threads() + t, and a place to
  /// begin for each thread. \throws workbook::device_error
  [[nodiscard]] virtual std::vector<double> outputs_of(const std::vector<double>& in,
                                                       const std::vector<unsigned>& starts) = 0;
};

using gather_maker = std::function<std::unique_ptr<gather_trial>(const workbook::problem&)>;

/// Finds out what a kernel does whose result for `failed` was wrong.
[[nodiscard]] std::optional<workbook::explanation> explain_gather(const workbook::problem& failed,
                                                                  const gather_maker& make);

}  // namespace chapter10
