// wrong: the kernel gets the address of a host variable
// killed by: memcheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 0, kernel 3
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::host_pointer {

template <typename T>
__global__ void sum_of(const T* in, T* out, std::size_t n) {
  T sum{};
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
  *out = sum;  // <- finding
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned) {
  T sum{};
  sum_of<<<1, 1>>>(in, &sum, n);
  cudaMemcpy(partials, &sum, sizeof sum, cudaMemcpyHostToDevice);
  return 1;
}

}  // namespace wrong::host_pointer
