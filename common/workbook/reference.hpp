#pragma once
/// \file
/// The correct sum, and the largest error that a floating-point sum may have.

#include <cstddef>
#include <cstdint>

#include "workbook/element.hpp"

namespace workbook {

/// The sum of the first n inputs, computed on the host.
struct reference_sum {
  std::uint64_t bits = 0;    ///< For integers: the sum modulo 2^64. The kernel's result must equal its low bits.
  long double value = 0;     ///< For floating point: the sum, computed far more accurately than in any kernel.
  long double absolute = 0;  ///< Σ|x|.
};

/// Sums `n` inputs of `type` for `seed`, using all of the host's cores.
[[nodiscard]] reference_sum sum_on_host(element_type type, std::size_t n, std::uint64_t seed);

/// Returns true if an error is within its bound; false for NaN.
[[nodiscard]] constexpr bool error_is_within(double error, double bound) {
  return error <= bound;
}

/// Returns the largest error that a correct sum can have: γ(depth)·Σ|x| with γ(d) = d·u / (1 - d·u), where `depth` is
/// the number of additions on the longest path from an element to the sum and u the unit roundoff (Higham, Accuracy and
/// Stability of Numerical Algorithms, 4.2). Returns 0 for integers.
[[nodiscard]] double error_bound(element_type type, std::size_t depth, long double absolute);

}  // namespace workbook
