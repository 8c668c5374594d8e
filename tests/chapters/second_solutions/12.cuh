#pragma once
/// \file
/// A second right solution of chapter 12: a barrier of the whole grid, after which the first block adds up.

#include <cstddef>

#include <cooperative_groups.h>

#include "reductions/block_reduce.cuh"
#include "reductions/launch.cuh"

namespace chapter12::exercise {

template <typename T>
__global__ void reduce_last_block(const T* in, T* partials, std::size_t n) {
  const unsigned tid = threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  T sum{};
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid; i < n; i += threads) sum += in[i];
  sum = workbook::block_reduce(sum, workbook::plus());
  if (tid == 0) partials[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();  // every block's sum is written before the first block reads it
  if (blockIdx.x != 0) return;
  sum = T{};
  for (unsigned k = tid; k < gridDim.x; k += blockDim.x) sum += partials[k];
  sum = workbook::block_reduce(sum, workbook::plus());  // after its barrier no thread reads partials[0] any more
  if (tid == 0) partials[0] = sum;
}

/// Declared as in the chapter.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned most = workbook::multiprocessor_count();
  const unsigned wanted = workbook::block_count(n, 8 * std::size_t{block_size});
  const unsigned grid_size = wanted < most ? wanted : most;
  void* arguments[] = {&in, &partials, &n};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&reduce_last_block<T>), dim3(grid_size), dim3(block_size),
                              arguments, 0, nullptr);
  return 1;
}

}  // namespace chapter12::exercise
