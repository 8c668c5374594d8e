#pragma once
/// \file
/// Chapter 2: a strided index keeps whole warps at work.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter2::solution {

template <typename T>
__global__ void reduce_strided(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;

  // Load: one element per thread, 0 beyond the end.
  tile[tid] = i < n ? in[i] : T{};
  __syncthreads();  // all elements are in the tile before any thread reads another's

  // Reduce in the block: the same partners, but neighbouring threads do the work, so whole warps become idle.
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned index = 2 * stride * tid;
    if (index < blockDim.x) tile[index] += tile[index + stride];
    __syncthreads();  // this step's sums are written before the next step reads them
  }

  // Write one result per block.
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Launches one pass over the `n` elements at `in`; leaves one sum per block in `partials` and returns their count.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_strided<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter2::solution
