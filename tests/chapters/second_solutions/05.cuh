#pragma once
/// \file
/// A second right solution of chapter 5: every warp reduces its own 32 words, then the first warp reduces their sums.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter5::exercise {

/// Sums the first `members` words of `tile`, a power of two up to 32, into tile[0]. Called by the whole warp.
template <typename T>
__device__ void reduce_in_warp(T* tile, unsigned lane, unsigned members) {
  T sum = lane < members ? tile[lane] : T{};
  for (unsigned stride = members / 2; stride > 0; stride /= 2) {
    __syncwarp();  // the previous step's reads are done before this step writes
    if (lane < members) tile[lane] = sum;
    __syncwarp();  // this step's sums are written before partners read them
    if (lane < stride) sum += tile[lane + stride];
  }
  __syncwarp();  // all reads of the tile are done
  if (lane == 0) tile[0] = sum;
}

template <typename T>
__global__ void reduce_unrolled_warp(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x, lane = tid % 32, warps = blockDim.x / 32;
  const std::size_t i = std::size_t{blockIdx.x} * (2 * blockDim.x) + tid;
  T sum = i < n ? in[i] : T{};
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  tile[tid] = sum;
  __syncwarp();  // the warp's own words are written; no other warp reads them yet
  reduce_in_warp(tile + tid - lane, lane, 32);
  __syncthreads();  // every warp's sum is in the warp's first word before these are read
  const T own = tid < warps ? tile[32 * tid] : T{};
  __syncthreads();  // these are read before the first words are overwritten
  if (tid < warps) tile[tid] = own;
  __syncthreads();  // all sums are next to each other before the first warp reads them
  if (tid < 32) reduce_in_warp(tile, lane, warps);
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Declared as in the chapter.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, 2 * std::size_t{block_size});
  reduce_unrolled_warp<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter5::exercise
