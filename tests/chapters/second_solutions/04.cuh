#pragma once
/// \file
/// A second right solution of chapter 4: a thread adds two neighbours instead of two elements a block apart.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter4::exercise {

template <typename T>
__global__ void reduce_first_add(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = 2 * (std::size_t{blockIdx.x} * blockDim.x + tid);
  T sum{};
  if (i < n) sum = in[i];
  if (i + 1 < n) sum += in[i + 1];
  tile[tid] = sum;
  for (unsigned left = blockDim.x; left > 1; left = (left + 1) / 2) {
    __syncthreads();  // the previous step's writes are done before partners read them
    const unsigned half = (left + 1) / 2;
    if (tid + half < left) tile[tid] += tile[tid + half];
  }
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Declared as in the chapter.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, 2 * std::size_t{block_size});
  reduce_first_add<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter4::exercise
