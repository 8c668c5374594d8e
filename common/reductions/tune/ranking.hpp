#pragma once
/// \file
/// Finds the fastest of several algorithms over several inputs, and decides if it is worth a change in a table.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "reductions/tune/race.hpp"
#include "workbook/timer.hpp"

namespace workbook {

/// An algorithm replaces the one in the table only if it is faster by more than this share.
inline constexpr double worth_a_change = 0.03;
/// The same share, if a library is faster than the algorithm in the table.
inline constexpr double worth_a_change_behind = 0.01;
/// The weight of the factor by which a library is faster than an algorithm.
inline constexpr double weight_behind = 4;

/// Ranks algorithms, which are identified by numbers. Stores for each the sum of the logarithms of its costs over
/// several inputs.
class ranking {
 public:
  explicit ranking(std::size_t ways) : sums_(ways, 0), is_behind_(ways, false) {}
  /// Adds the times of all algorithms for one input. The cost is the geometric mean of the cold and the warm time,
  /// relative to the fastest algorithm; if a library is faster than an algorithm, the cost increases.
  /// \param library_cold,library_warm  the best library's times; infinity if there is none
  void add(const std::vector<contender>& timed, double library_cold = none, double library_warm = none) {
    std::vector<double> costs;
    for (const contender& c : timed) costs.push_back(std::sqrt(median(c.cold_us) * median(c.warm_us)));
    const double least = *std::min_element(costs.begin(), costs.end());
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const double behind =
          std::max({1.0, median(timed[i].cold_us) / library_cold, median(timed[i].warm_us) / library_warm});
      sums_[i] += std::log(costs[i] / least) + weight_behind * std::log(behind);
      if (behind > 1) is_behind_[i] = true;
    }
    ++inputs_;
  }
  /// Returns the algorithm's average cost.
  [[nodiscard]] double cost(std::size_t way) const { return std::exp(sums_[way] / std::max(1, inputs_)); }
  /// Returns true if a library was faster with any of the inputs.
  [[nodiscard]] bool is_behind(std::size_t way) const { return is_behind_[way]; }
  [[nodiscard]] std::vector<std::size_t> order() const {
    std::vector<std::size_t> all(sums_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) { return sums_[a] < sums_[b]; });
    return all;
  }

 private:
  static constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<double> sums_;
  std::vector<bool> is_behind_;
  int inputs_ = 0;
};

/// Returns the present algorithm, unless a different one is clearly faster. \param present  may be out of range; then
/// the fastest one is returned
inline std::size_t chosen(const ranking& r, std::size_t present) {
  const std::size_t best = r.order().front();
  if (present >= r.order().size()) return best;
  const double worth = r.is_behind(present) ? worth_a_change_behind : worth_a_change;
  return r.cost(present) < r.cost(best) * (1 + worth) ? present : best;
}

}  // namespace workbook
