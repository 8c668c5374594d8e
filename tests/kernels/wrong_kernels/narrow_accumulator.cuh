// wrong: the block adds 64-bit integers in 32 bits
// killed by: verification
// shows for: n = 1000, blocks of 128, longlong
// right for: n = 1000, blocks of 128, int
#pragma once
// chapter: 0, kernel 4
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::narrow_accumulator {

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : T{};
  __syncthreads();
  if (tid == 0) {
    int sum = 0;
    for (unsigned k = 0; k < blockDim.x; ++k) sum += static_cast<int>(tile[k]);
    partials[blockIdx.x] = static_cast<T>(sum);
  }
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_wrong<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace wrong::narrow_accumulator
