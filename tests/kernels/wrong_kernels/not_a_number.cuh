// wrong: a short block divides 0 by 0; only `!(error <= bound)` sees the NaN
// killed by: verification
// shows for: n = 2, blocks of 128, float
// right for: n = 100, blocks of 128, float
#pragma once
// chapter: 0, kernel 1
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::not_a_number {

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
  const T here = static_cast<T>(n > blockIdx.x * blockDim.x + 2 ? 1 : 0);
  if (tid == 0) partials[blockIdx.x] = tile[0] * (here / here);
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_wrong<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace wrong::not_a_number
