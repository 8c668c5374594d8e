#pragma once
/// \file
/// Chapter 4, your kernel: let every thread load two elements and add them at once, with half the blocks.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter4::exercise {

template <typename T>
__global__ void reduce_sequential(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;

  // TODO(chapter 4): let every thread load two elements and add them at once, with half the blocks.
  // Load: one element per thread, 0 beyond the end.
  tile[tid] = i < n ? in[i] : T{};
  __syncthreads();  // all elements are in the tile before any thread reads another's

  // Reduce in the block: partners are half the tile apart, so a warp touches 32 neighbouring words.
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();  // this step's sums are written before the next step reads them
  }

  // Write one result per block.
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Launches one pass over the `n` elements at `in`; leaves one sum per block in `partials` and returns their count.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_sequential<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter4::exercise
