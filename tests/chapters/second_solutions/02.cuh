#pragma once
/// \file
/// Another correct solution of chapter 2: sums of neighbours move to the front, so the used part of the tile shrinks.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter2::exercise {

template <typename T>
__global__ void reduce_strided(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : T{};
  __syncthreads();  // all elements are in the tile before any thread reads another's
  for (unsigned pairs = blockDim.x / 2; pairs > 0; pairs /= 2) {
    T sum{};
    if (tid < pairs) sum = tile[2 * tid] + tile[2 * tid + 1];
    __syncthreads();  // this step's reads are done before anything is moved
    if (tid < pairs) tile[tid] = sum;
    __syncthreads();  // this step's sums are written before the next step reads them
  }
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Declared as in the chapter.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_strided<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter2::exercise
