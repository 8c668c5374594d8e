// wrong: the second pass reads more partial sums than there are blocks
// killed by: initcheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 4, kernel 29
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::reads_unwritten_partials {

template <typename T>
__global__ void sum_of(const T* in, T* out, std::size_t n) {
  T sum{};
  for (std::size_t i = blockIdx.x; i < n; i += gridDim.x) sum += in[i];  // <- finding
  out[blockIdx.x] = sum;
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  T* temporary = nullptr;
  cudaMalloc(&temporary, 2 * grid_size * sizeof(T));
  sum_of<<<grid_size, 1>>>(in, temporary, n);
  sum_of<<<1, 1>>>(temporary, partials, 2 * grid_size);
  cudaFree(temporary);
  return 1;
}

}  // namespace wrong::reads_unwritten_partials
