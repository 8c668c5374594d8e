// wrong: all threads add to one word of shared memory without an atomic
// killed by: racecheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 1, kernel 12
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::everyone_adds_to_one_word {

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  __shared__ T sum;
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  if (tid == 0) sum = T{};
  __syncthreads();
  if (i < n) sum += in[i];  // <- finding
  __syncthreads();
  if (tid == 0) partials[blockIdx.x] = sum;
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_wrong<<<grid_size, block_size, 0>>>(in, partials, n);
  return grid_size;
}

}  // namespace wrong::everyone_adds_to_one_word
