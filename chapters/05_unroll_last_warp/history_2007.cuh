#pragma once
/// \file
/// History: no barriers in the last warp, as in 2007, but `volatile`, as later. It is wrong on every GPU since Volta.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter5::history {

/// The lanes of a warp rely on running in lockstep: no lane waits for another's write. `volatile` only keeps the
/// compiler from holding words in registers. It doesn't order the lanes' accesses.
template <typename T>
__global__ void reduce_warp_synchronous(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * (2 * blockDim.x) + tid;

  // Load: two elements per thread.
  T sum = i < n ? in[i] : T{};
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  tile[tid] = sum;
  __syncthreads();  // all sums are in the tile before any thread reads another's

  // Reduce in the block, until one warp can do the rest.
  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();  // this step's sums are written before the next step reads them
  }

  // Finish in the warp, as in those years: nothing orders one step's writes and the next step's reads.
  volatile T* words = tile;
  if (tid < 32 && blockDim.x >= 64) words[tid] = words[tid] + words[tid + 32];
  for (unsigned stride = 16; stride > 0; stride /= 2) {
    if (tid < stride) words[tid] = words[tid] + words[tid + stride];  // <- finding
  }

  // Write one result per block.
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Launches one pass over the `n` elements at `in`; leaves one sum per block in `partials` and returns their count.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, 2 * std::size_t{block_size});
  reduce_warp_synchronous<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter5::history
