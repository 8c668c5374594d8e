#pragma once
/// \file
/// Explains why the largest elements of chapter 15's segments are wrong: which segments get no result, which elements
/// are ignored, whose elements are taken instead, and which of several equal elements is found.

#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "workbook/study.hpp"

namespace chapter15 {

/// The value and the index that are the right result for an empty segment.
inline constexpr double no_value = -HUGE_VAL, no_place = -1;

struct found_in_segment {
  double value;  ///< NaN if nothing was written.
  double place;  ///< Index in the whole array.
  bool operator==(const found_in_segment&) const = default;
};

/// Runs a kernel on elements that the caller chooses: whole numbers other than -1 that every element type holds.
class segments_trial : public workbook::experiment {
 public:
  [[nodiscard]] virtual const std::vector<unsigned>& offsets() const = 0;
  /// Returns the number of segments that a block handles.
  [[nodiscard]] virtual unsigned segments_of_block() const = 0;
  /// Returns the elements of its original input.
  [[nodiscard]] virtual std::vector<double> own_input() const = 0;
  /// \throws workbook::device_error
  [[nodiscard]] virtual std::vector<found_in_segment> results_of(const std::vector<double>& in) = 0;
};

using segments_maker = std::function<std::unique_ptr<segments_trial>(const workbook::problem&)>;

/// Finds out why a kernel's result for `failed` was wrong.
[[nodiscard]] std::optional<workbook::explanation> explain_segments(const workbook::problem& failed,
                                                                    const segments_maker& make);

}  // namespace chapter15
