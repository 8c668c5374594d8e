#pragma once
/// \file
/// A second right solution of chapter 3: the first warp adds up the tile in rows of 32 words, then halves the row.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter3::exercise {

template <typename T>
__global__ void reduce_sequential(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : T{};
  __syncthreads();  // every element is in the tile before the first warp reads it
  if (tid < 32) {
    T sum = tile[tid];
    for (unsigned k = tid + 32; k < blockDim.x; k += 32) sum += tile[k];
    for (unsigned stride = 16; stride > 0; stride /= 2) {
      __syncwarp();  // the previous step's reads are done before this step writes
      tile[tid] = sum;
      __syncwarp();  // this step's sums are written before partners read them
      if (tid < stride) sum += tile[tid + stride];
    }
    if (tid == 0) partials[blockIdx.x] = sum;
  }
}

/// Declared as in the chapter.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_sequential<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter3::exercise
