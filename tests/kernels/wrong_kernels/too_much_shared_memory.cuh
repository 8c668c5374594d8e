// wrong: the launch requests more shared memory than a block gets without opting in
// killed by: launch
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 1, kernel 22
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::too_much_shared_memory {

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
  reduce_wrong<<<grid_size, block_size, 100 * 1024>>>(in, partials, n);
  return grid_size;
}

}  // namespace wrong::too_much_shared_memory
