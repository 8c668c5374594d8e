#pragma once
/// \file
/// Chapter 4: the first addition happens while loading.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter4::solution {

template <typename T>
__global__ void reduce_first_add(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * (2 * blockDim.x) + tid;

  // Load: two elements per thread, a block's width apart; their sum is the first step of the tree.
  T sum = i < n ? in[i] : T{};
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  tile[tid] = sum;
  __syncthreads();  // all sums are in the tile before any thread reads another's

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
  const unsigned grid_size = workbook::block_count(n, 2 * std::size_t{block_size});
  reduce_first_add<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter4::solution
