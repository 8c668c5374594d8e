#pragma once
/// \file
/// A hand-written range: squared differences, which one launch computes and adds up.

#include <cstddef>

#include "13_fused_pipelines/squared_difference.cuh"
#include "reductions/ranges.cuh"

namespace chapter13 {

/// A range of the values (x[i] - y[i])^2. Each value is computed when it is needed, and never stored. The members are
/// those of `workbook::range` (reductions/ranges/range.cuh).
template <typename T>
struct squared_differences {
  using value_type = T;
  using element = T;
  static constexpr unsigned per_vector = workbook::array_view<T>::per_vector;
  static constexpr bool has_vectors = true;
  static constexpr std::size_t bytes_per_element = 2 * sizeof(T);

  workbook::array_view<T> x, y;

  [[nodiscard]] std::size_t size() const { return x.size(); }
  [[nodiscard]] std::size_t extent() const { return x.extent(); }
  /// A vector must begin at a multiple of 16 bytes in both arrays.
  [[nodiscard]] std::size_t head(unsigned n) const { return x.head(n) == y.head(n) ? x.head(n) : workbook::nowhere; }
  __device__ T operator[](std::size_t i) const { return squared_difference(x[i], y[i]); }
  template <unsigned N, workbook::caching Hint>
  __device__ workbook::vector<N, T> get_vector(std::size_t i) const {
    workbook::vector<N, T> a = x.template get_vector<N, Hint>(i);
    const workbook::vector<N, T> b = y.template get_vector<N, Hint>(i);
    for (unsigned k = 0; k < N; ++k) a.elements[k] = squared_difference(a.elements[k], b.elements[k]);
    return a;
  }
};

/// Writes the sum of (x[i] - y[i])^2 to `*out`. Integers wrap. All pointers are to device memory: `n` elements at `x`
/// and `y` (n may be 0), and a workspace of `workbook::reduce` for type T, zeroed once. Does not synchronise.
template <typename T>
void distance(const T* x, const T* y, T* out, std::size_t n, void* workspace) {
  squared_differences<T>{{x, n}, {y, n}} | workbook::action::reduce_into(workbook::plus{}, out, workspace);
}

}  // namespace chapter13
