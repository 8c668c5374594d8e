// wrong: the workspace is freed twice
// killed by: memcheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 4, kernel 32
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::double_free {

template <typename T>
__global__ void sum_of(const T* in, T* out, std::size_t n) {
  T sum{};
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
  *out = sum;
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned) {
  T* temporary = nullptr;
  cudaMalloc(&temporary, sizeof(T));
  sum_of<<<1, 1>>>(in, temporary, n);
  sum_of<<<1, 1>>>(temporary, partials, 1);
  cudaFree(temporary);
  cudaFree(temporary);
  cudaGetLastError();  // discards the error that would reveal the mistake
  return 1;
}

}  // namespace wrong::double_free
