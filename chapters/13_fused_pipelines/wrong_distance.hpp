#pragma once
/// \file
/// Why the distance of chapter 13 is wrong: what it makes of which elements.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "workbook/measure.hpp"

namespace chapter13 {

/// Where two arrays begin, in elements behind a multiple of 16 bytes.
struct array_starts {
  std::size_t x = 0, y = 0;
};

/// Runs one way to the distance on inputs that the caller chooses.
class distance_trial {
 public:
  virtual ~distance_trial() = default;
  [[nodiscard]] virtual const workbook::problem& given() const = 0;
  [[nodiscard]] virtual array_starts starts() const = 0;
  /// Returns what the way leaves in the output, which holds `before` when it begins; that of an unsigned type as a
  /// number with a sign. \throws workbook::device_error
  [[nodiscard]] virtual double sum(const std::vector<double>& x, const std::vector<double>& y, double before) = 0;
};

using distance_maker = std::function<std::unique_ptr<distance_trial>(const workbook::problem&)>;

/// Finds out what a way does whose result for `failed` was wrong. Nothing where no input tells.
[[nodiscard]] std::optional<workbook::explanation> explain_distance(const workbook::problem& failed,
                                                                    const distance_maker& make);

}  // namespace chapter13
