// wrong: blocks add to one word of global memory without an atomic
// killed by: racecheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 12, kernel 47
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::blocks_add_without_atomic {

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : T{};
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();
  }
  if (tid == 0) partials[0] += tile[0];  // <- finding
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  cudaMemset(partials, 0, sizeof(T));
  reduce_wrong<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return 1;
}

}  // namespace wrong::blocks_add_without_atomic
