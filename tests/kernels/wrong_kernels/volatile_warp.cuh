// wrong: the last warp relies on lockstep and `volatile`, as was done before Volta
// killed by: racecheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 5, kernel 37
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::volatile_warp {

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : T{};
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();
  }
  if (tid < 32) {
    volatile T* warp_tile = tile;
    for (unsigned stride = 32; stride > 0; stride /= 2) {
      warp_tile[tid] = warp_tile[tid] + warp_tile[tid + stride];  // <- finding
    }
  }
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_wrong<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace wrong::volatile_warp
