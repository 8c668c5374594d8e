// wrong: an empty input makes an empty grid
// killed by: launch
// shows for: n = 0, blocks of 128, int
// right for: n = 128, blocks of 128, int
#pragma once
// chapter: 1, kernel 26
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::unchecked_grid {

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
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_wrong<<<static_cast<unsigned>(n / block_size), block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace wrong::unchecked_grid
