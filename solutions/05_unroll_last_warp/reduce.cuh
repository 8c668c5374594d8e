#pragma once
/// \file
/// Chapter 5: the last warp needs no block barriers.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter5::solution {

template <typename T>
__global__ void reduce_unrolled_warp(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * (2 * blockDim.x) + tid;

  // Load: two elements per thread, a block's width apart; their sum is the first step of the tree.
  T sum = i < n ? in[i] : T{};
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  tile[tid] = sum;
  __syncthreads();  // all sums are in the tile before any thread reads another's

  // Reduce in the block, until one warp can do the rest.
  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();  // this step's sums are written before the next step reads them
  }

  // Finish in the warp: no block barrier is needed, but only __syncwarp orders the lanes.
  if (tid < 32) {
    sum = tile[tid];
    if (blockDim.x >= 64) sum += tile[tid + 32];
    for (unsigned stride = 16; stride > 0; stride /= 2) {
      __syncwarp();  // the previous step's reads are done before this step writes
      tile[tid] = sum;
      __syncwarp();  // this step's sums are written before partners read them
      if (tid < stride) sum += tile[tid + stride];
    }
  }

  // Write one result per block.
  if (tid == 0) partials[blockIdx.x] = sum;
}

/// Launches one pass over the `n` elements at `in`; leaves one sum per block in `partials` and returns their count.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, 2 * std::size_t{block_size});
  reduce_unrolled_warp<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter5::solution
