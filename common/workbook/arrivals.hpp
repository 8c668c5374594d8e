#pragma once
/// \file
/// Which elements arrive in a sum, how often, and as what: kernels run again on inputs that tell elements apart.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "workbook/measure.hpp"
#include "workbook/reduction.hpp"

namespace workbook {

/// What one pass left in `partials`.
struct pass_result {
  std::size_t returned = 0;      ///< How many partial sums it says that it left.
  std::vector<double> partials;  ///< All that there is room for; NaN where nothing was written, infinite where what was
                                 ///< written is no number.
};

/// Runs one kernel on inputs that the caller chooses. Values are whole numbers, small enough that every sum of them is
/// exact in the element type, unless a caller asks how a single value comes through.
class pass_trial {
 public:
  virtual ~pass_trial() = default;
  /// Runs one pass over `values`. Nothing where the device fails, which is reset then.
  [[nodiscard]] virtual std::optional<pass_result> run(const std::vector<double>& values) = 0;
  /// Runs passes until one value is left. Nothing where the device fails or a pass leaves what it must not.
  [[nodiscard]] std::optional<double> sum(const std::vector<double>& values);
  /// Partial sums that a pass over n elements may leave at most.
  [[nodiscard]] std::size_t room_for(std::size_t n) const;
  [[nodiscard]] unsigned block_size() const { return block_size_; }

 protected:
  explicit pass_trial(unsigned block_size) : block_size_(block_size) {}

 private:
  unsigned block_size_;
};

/// Prepares trials of `rung` with the type, block size and offset of `p`.
[[nodiscard]] std::unique_ptr<pass_trial> trial_of(const reduction& rung, const problem& p);

/// What one pass over n elements does with each of them.
struct arrivals {
  std::size_t n = 0;
  std::size_t returned = 0;
  std::size_t blocks = 0;              ///< Partial sums that were written.
  bool first_is_all = false;           ///< partials[0] alone is the right sum.
  double from_nothing = 0;             ///< What the partial sums add up to where all elements are 0.
  std::vector<double> times;           ///< By element: how often it is in the partial sums; NaN where not looked at.
  std::vector<std::int64_t> where;     ///< By element: the first partial sum that it is in; -1: in none.
  std::vector<std::size_t> unwritten;  ///< Partial sums below `returned` that the pass does not write.
  std::vector<std::size_t> unread;     ///< Partial sums from `returned` on that hold something.
  bool complete = true;                ///< False where looking at all elements would have taken too long.
};

/// Finds out about each element; ranges whose elements all arrive once are looked at as one. Nothing where the device
/// fails.
[[nodiscard]] std::optional<arrivals> arrivals_of(pass_trial& trial, std::size_t n);

/// Values for n elements, none 0, no two neighbours alike, of both signs.
[[nodiscard]] std::vector<double> telling_values(std::size_t n);

/// Sends single values through that need the whole of `given`'s type, for a kernel that adds up small whole numbers
/// rightly. Nothing where all of them arrive.
[[nodiscard]] std::optional<explanation> explain_cut_values(pass_trial& trial, const problem& given);

}  // namespace workbook
