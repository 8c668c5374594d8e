#pragma once
/// \file
/// A second right solution of chapter 11: blocks of any size, one step's loads in flight at a time, and the last terms
/// in the same loop as the others.

#include <cstddef>

#include "reductions/vector.cuh"

namespace chapter11::exercise {

/// Replaces each element of `best` by `b` + `s` if that is larger.
template <unsigned N, typename T>
__device__ void raise(workbook::vector<N, T>& best, const workbook::vector<N, T>& b, T s) {
  for (unsigned i = 0; i < N; ++i) {
    const T c = b.elements[i] + s;
    if (best.elements[i] < c) best.elements[i] = c;
  }
}

/// Declared as in the chapter. 1024 threads share 65536 registers, and 64 for each are enough for one step.
template <typename T>
__global__ void __launch_bounds__(1024)
    largest_sums(const T* big, const T* small, T* out, unsigned points, unsigned terms, std::size_t pitch) {
  constexpr unsigned N = workbook::elements_per_load<T>;
  const unsigned threads = gridDim.x * blockDim.x;
  const unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;

  // Whole vectors of points, if all rows begin at a multiple of 16 bytes.
  const unsigned in_vectors = pitch % N == 0 ? points / N * N : 0;
  for (unsigned p = tid * N; p < in_vectors; p += threads * N) {
    workbook::vector<N, T> best{};
#pragma unroll 1  // so that no registers are needed for a second step
    for (unsigned k = 0; k < terms; k += N) {
      if (k + N <= terms) {
        const workbook::vector<N, T> s = workbook::load<N>(small + k);
        for (unsigned j = 0; j < N; ++j) raise(best, workbook::load<N>(big + (k + j) * pitch + p), s.elements[j]);
      } else {
        for (unsigned j = k; j < terms; ++j) raise(best, workbook::load<N>(big + j * pitch + p), small[j]);
      }
    }
    for (unsigned i = 0; i < N; ++i) out[p + i] = best.elements[i];
  }

  // The remaining points, one per thread.
  for (unsigned p = in_vectors + tid; p < points; p += threads) {
    workbook::vector<1, T> best{};
    for (unsigned k = 0; k < terms; ++k) raise(best, workbook::vector<1, T>{{big[k * pitch + p]}}, small[k]);
    out[p] = best.elements[0];
  }
}

}  // namespace chapter11::exercise
