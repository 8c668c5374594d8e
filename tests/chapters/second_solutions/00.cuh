#pragma once
/// \file
/// A second right solution of chapter 0: the one thread has four accumulators, so that additions need not wait for each
/// other.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter0::exercise {

template <typename T>
__global__ void reduce_single_thread(const T* in, T* partials, std::size_t n) {
  T sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) sums[k] += in[i + k];
  }
  for (; i < n; ++i) sums[0] += in[i];
  partials[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Declared as in the chapter.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned) {
  reduce_single_thread<<<1, 1>>>(in, partials, n);
  return 1;
}

}  // namespace chapter0::exercise
