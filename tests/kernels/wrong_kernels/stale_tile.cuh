// wrong: the next iteration fills the tile while slow threads still read the previous contents
// killed by: racecheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 7, kernel 40
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::stale_tile {

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  T sum{};
  for (std::size_t base = std::size_t{blockIdx.x} * blockDim.x; base < n; base += std::size_t{gridDim.x} * blockDim.x) {
    tile[tid] = base + tid < n ? in[base + tid] : T{};  // <- finding
    __syncthreads();
    if (tid == 0) {
      for (unsigned k = 0; k < blockDim.x; ++k) sum += tile[k];
    }
  }
  if (tid == 0) partials[blockIdx.x] = sum;
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  const unsigned half = grid_size > 1 ? grid_size / 2 : 1;
  reduce_wrong<<<half, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return half;
}

}  // namespace wrong::stale_tile
