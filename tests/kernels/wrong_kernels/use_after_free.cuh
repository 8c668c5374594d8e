// wrong: the partial sums of the first pass are freed before the second reads them
// killed by: memcheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 4, kernel 34
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::use_after_free {

template <typename T>
__global__ void sum_of(const T* in, T* out, std::size_t n) {
  T sum{};
  for (std::size_t i = 0; i < n; ++i) sum += in[i];  // <- finding
  *out = sum;
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned) {
  T* temporary = nullptr;
  cudaMalloc(&temporary, sizeof(T));
  sum_of<<<1, 1>>>(in, temporary, n);
  cudaFree(temporary);
  sum_of<<<1, 1>>>(temporary, partials, 1);
  return 1;
}

}  // namespace wrong::use_after_free
