#pragma once
/// \file
/// Finds out which elements arrive in a sum, how often, and with which sign or factor. It runs kernels again on inputs
/// that distinguish the elements.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "workbook/measure.hpp"
#include "workbook/reduction.hpp"

namespace workbook {

/// The result of one pass.
struct pass_result {
  std::size_t returned = 0;      ///< Partial sums that it reported.
  std::vector<double> partials;  ///< All that fit. NaN if nothing was written;
                                 ///< infinite if the value written isn't a number.
};

/// Runs one kernel on inputs that the caller chooses. Values are whole numbers that are small enough for exact sums in
/// the element type, except in tests that pass a single value through.
class pass_trial {
 public:
  virtual ~pass_trial() = default;
  /// Runs one pass over `values`. If the device fails, resets it and returns nothing.
  [[nodiscard]] virtual std::optional<pass_result> run(const std::vector<double>& values) = 0;
  /// Runs passes until one value is left. Returns nothing if the device fails or a pass returns an invalid number of
  /// partial sums.
  [[nodiscard]] std::optional<double> sum(const std::vector<double>& values);
  /// Returns the maximum number of partial sums of a pass over n elements.
  [[nodiscard]] std::size_t room_for(std::size_t n) const;
  [[nodiscard]] unsigned block_size() const { return block_size_; }

 protected:
  explicit pass_trial(unsigned block_size) : block_size_(block_size) {}

 private:
  unsigned block_size_;
};

/// Returns a trial of `rung` with the type, block size and offset of `p`.
[[nodiscard]] std::unique_ptr<pass_trial> trial_of(const reduction& rung, const problem& p);

/// The number of times that one pass over n elements adds each of them.
struct arrivals {
  std::size_t n = 0;
  std::size_t returned = 0;
  std::size_t blocks = 0;              ///< Number of partial sums that were written.
  bool first_is_all = false;           ///< True if partials[0] alone is the correct sum.
  double from_nothing = 0;             ///< The sum if all elements are 0.
  std::vector<double> times;           ///< For each element: how often it is added; NaN if not tested.
  std::vector<std::int64_t> where;     ///< For each element: the first partial sum that contains it, or -1.
  std::vector<std::size_t> unwritten;  ///< Partial sums below `returned` that were not written.
  std::vector<std::size_t> unread;     ///< Partial sums with index `returned` or higher that were written.
  bool complete = true;                ///< False if testing all elements would have taken too long.
};

/// Tests each element. A range whose elements all arrive exactly once is tested as a whole. Returns nothing if the
/// device fails.
[[nodiscard]] std::optional<arrivals> arrivals_of(pass_trial& trial, std::size_t n);

/// Returns n values of both signs in an irregular order. None of them is 0.
[[nodiscard]] std::vector<double> telling_values(std::size_t n);

/// Tests a kernel that adds small whole numbers correctly, with single values that need all bits of `given`'s type.
/// Returns nothing if all of these arrive unchanged.
[[nodiscard]] std::optional<explanation> explain_cut_values(pass_trial& trial, const problem& given);

}  // namespace workbook
