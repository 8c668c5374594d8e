#pragma once
/// \file
/// Chapter 1, your kernel. The task is below.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter1::exercise {

template <typename T>
__global__ void reduce_interleaved(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;

  // Load: one element per thread, 0 beyond the end.
  tile[tid] = i < n ? in[i] : T{};
  __syncthreads();  // all elements are in the tile before any thread reads another's

  // Reduce in the block: partners move further apart in each step, and half of the active threads become idle.
  // TODO(chapter 1): reduce the tile to tile[0]: for stride = 1, 2, 4 and so on, each thread whose number is a
  // multiple of 2 * stride adds the element `stride` places further on.

  // Write one result per block.
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Launches one pass over the `n` elements at `in`; leaves one sum per block in `partials` and returns their count.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_interleaved<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter1::exercise
