#pragma once
/// \file
/// A second right solution of chapter 7: every block reduces one contiguous part of the input.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter7::exercise {

template <unsigned block_size, typename T>
__global__ void reduce_many_per_thread(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  // A multiple of the block size, so that a warp's loads begin at a sector.
  const std::size_t share = workbook::ceil_div(workbook::ceil_div(n, gridDim.x), block_size) * block_size;
  const std::size_t begin = blockIdx.x * share;
  const std::size_t end = begin + share < n ? begin + share : n;
  T sum{};
  for (std::size_t i = begin + tid; i < end; i += block_size) sum += in[i];
  tile[tid] = sum;
#pragma unroll
  for (unsigned stride = block_size / 2; stride > 0; stride /= 2) {
    __syncthreads();  // the previous step's sums are written before this step reads them
    if (tid < stride) tile[tid] += tile[tid + stride];
  }
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Declared as in the chapter.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  // Two blocks per SM: fewer than fit, but enough here.
  const unsigned most = 2 * workbook::multiprocessor_count();
  const unsigned wanted = workbook::block_count(n, 2 * std::size_t{block_size});
  const unsigned grid_size = wanted < most ? wanted : most;
  const auto launch = [&](auto kernel) { kernel<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n); };
  if (block_size == 32) launch(reduce_many_per_thread<32, T>);
  if (block_size == 64) launch(reduce_many_per_thread<64, T>);
  if (block_size == 128) launch(reduce_many_per_thread<128, T>);
  if (block_size == 256) launch(reduce_many_per_thread<256, T>);
  if (block_size == 512) launch(reduce_many_per_thread<512, T>);
  if (block_size == 1024) launch(reduce_many_per_thread<1024, T>);
  return grid_size;
}

}  // namespace chapter7::exercise
