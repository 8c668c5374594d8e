// wrong: threads beyond the end leave their word of the tile as it was
// killed by: initcheck
// shows for: n = 1000, blocks of 128, int
// right for: n = 128, blocks of 128, int
#pragma once
// chapter: 1, kernel 20
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::uninitialised_tile {

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  if (i < n) tile[tid] = in[i];
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];  // <- finding
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_wrong<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace wrong::uninitialised_tile
