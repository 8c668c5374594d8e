// wrong: half of the block waits for a flag that the other half sets after the barrier
// killed by: synccheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 12, kernel 48
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::half_waits_for_a_flag {

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  __shared__ volatile int ready;
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : T{};
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();
  }
  if (tid == 0) ready = 0;
  __syncthreads();
  if (tid < 64) {
    while (ready == 0) {  // <- finding
    }
  }
  __syncthreads();
  if (tid == 64) ready = 1;
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_wrong<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace wrong::half_waits_for_a_flag
