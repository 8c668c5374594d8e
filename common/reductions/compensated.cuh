#pragma once
/// \file
/// Sums that carry their own rounding error along (Neumaier's form of Kahan's sum), for `workbook::reduce`.

#include <cuda_runtime_api.h>

namespace workbook {

/// A floating-point sum with its rounding error so far. Converts from an element, and to a rounded sum.
template <typename T>
struct compensated {
  T sum, error;
  compensated() = default;  ///< Uninitialised, as shared memory requires.
  __host__ __device__ constexpr explicit compensated(T value) : sum(value), error(0) {}
  __host__ __device__ constexpr compensated(T rounded, T lost) : sum(rounded), error(lost) {}
  __host__ __device__ constexpr explicit operator T() const { return sum + error; }
};

/// Adds, and computes the exact rounding error of each addition with six operations (Knuth's two-sum; Ogita, Rump and
/// Oishi, Accurate sum and dot product). The error of a whole sum is u |sum| + O(depth^2 u^2) sum |x|, as if it had
/// been computed in twice the precision and rounded once.
struct plus_compensated {
  template <typename C>
  __host__ __device__ static constexpr C identity() {
    return {0, 0};
  }
  template <typename T>
  __host__ __device__ constexpr compensated<T> operator()(compensated<T> a, compensated<T> b) const {
    const T sum = a.sum + b.sum;
    const T part = sum - a.sum;
    const T lost = (a.sum - (sum - part)) + (b.sum - part);
    return {sum, a.error + (b.error + lost)};
  }
};

}  // namespace workbook
