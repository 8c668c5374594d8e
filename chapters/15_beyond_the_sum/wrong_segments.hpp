#pragma once
/// \file
/// Why the largest elements of chapter 15's segments are wrong: which segments get no result, which elements never
/// count, whose elements count instead, and what becomes of equal ones.

#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "workbook/study.hpp"

namespace chapter15 {

/// What stands in the place of value and number where a segment has no elements.
inline constexpr double no_value = -HUGE_VAL, no_place = -1;

struct found_in_segment {
  double value;  ///< NaN where nothing was written.
  double place;  ///< In the whole array.
  bool operator==(const found_in_segment&) const = default;
};

/// Runs one kernel on elements that the caller chooses: whole numbers that every element type holds, none of them -1.
class segments_trial : public workbook::experiment {
 public:
  [[nodiscard]] virtual const std::vector<unsigned>& offsets() const = 0;
  /// How many segments a block answers for.
  [[nodiscard]] virtual unsigned segments_of_block() const = 0;
  /// The elements that it came with.
  [[nodiscard]] virtual std::vector<double> own_input() const = 0;
  /// \throws workbook::device_error
  [[nodiscard]] virtual std::vector<found_in_segment> results_of(const std::vector<double>& in) = 0;
};

using segments_maker = std::function<std::unique_ptr<segments_trial>(const workbook::problem&)>;

/// Finds out what a kernel does whose result for `failed` was wrong.
[[nodiscard]] std::optional<workbook::explanation> explain_segments(const workbook::problem& failed,
                                                                    const segments_maker& make);

}  // namespace chapter15
