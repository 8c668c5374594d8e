#pragma once
/// \file
/// A second right solution of chapter 9: a butterfly of exclusive-or shuffles, after which one thread adds up the sums
/// of the warps.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter9::exercise {

template <typename T>
__global__ void reduce_shuffles(const T* in, T* partials, std::size_t n) {
  __shared__ T tile[32];
  const unsigned tid = threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  T sum{};
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid; i < n; i += threads) sum += in[i];
  for (unsigned mask = 1; mask < 32; mask *= 2) sum += __shfl_xor_sync(~0u, sum, mask);
  if (tid % 32 == 0) tile[tid / 32] = sum;
  __syncthreads();  // every warp's sum is in the tile before one thread reads them
  if (tid == 0) {
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) sum += tile[warp];
    partials[blockIdx.x] = sum;
  }
}

/// Declared as in the chapter.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned most = workbook::resident_blocks(block_size);
  const unsigned wanted = workbook::block_count(n, block_size);
  const unsigned grid_size = wanted < most ? wanted : most;
  reduce_shuffles<<<grid_size, block_size>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter9::exercise
