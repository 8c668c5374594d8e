// wrong: the element's number is computed in 16 bits and wraps
// killed by: verification
// shows for: n = 70000, blocks of 128, int
// right for: n = 65536, blocks of 128, int
#pragma once
// chapter: 1, kernel 18
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::index_of_16_bits {

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const auto i = static_cast<unsigned short>(blockIdx.x * blockDim.x + tid);
  tile[tid] = blockIdx.x * blockDim.x + tid < n ? in[i] : T{};
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
  reduce_wrong<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace wrong::index_of_16_bits
