// wrong: the tree is built in the input itself
// killed by: verification
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 4, kernel 33
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::changes_its_input {

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  T* tile = const_cast<T*>(in) + std::size_t{blockIdx.x} * blockDim.x;
  const unsigned tid = threadIdx.x;
  const std::size_t left = n - std::size_t{blockIdx.x} * blockDim.x;
  const unsigned count = left < blockDim.x ? static_cast<unsigned>(left) : blockDim.x;
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride && tid + stride < count) tile[tid] += tile[tid + stride];
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = n == 0 ? T{} : tile[0];
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_wrong<<<grid_size, block_size, 0>>>(in, partials, n);
  return grid_size;
}

}  // namespace wrong::changes_its_input
