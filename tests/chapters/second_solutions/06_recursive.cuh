#pragma once
/// \file
/// A right solution of chapter 6 by templates that call themselves. All warps go through all steps, and test in each
/// step whether they take part.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter6::exercise {

/// The tree's steps from `stride` to 1. Each call halves it. The compiler inlines the calls, so no loop is left.
template <unsigned stride, typename T>
__device__ void add_from(T* tile, unsigned tid) {
  if constexpr (stride > 0) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    if constexpr (stride > 32) {
      __syncthreads();  // this step's sums are written before the next step reads them
    } else {
      __syncwarp();  // the same, within the one warp that is left
    }
    add_from<stride / 2>(tile, tid);
  }
}

template <unsigned block_size, typename T>
__global__ void reduce_unrolled(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * (2 * block_size) + tid;
  T sum = i < n ? in[i] : T{};
  if (i + block_size < n) sum += in[i + block_size];
  tile[tid] = sum;
  __syncthreads();  // all sums are in the tile before any thread reads another's
  add_from<block_size / 2>(tile, tid);
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Declared as in the chapter.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, 2 * std::size_t{block_size});
  const auto launch = [&](auto kernel) { kernel<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n); };
  if (block_size == 32) launch(reduce_unrolled<32, T>);
  if (block_size == 64) launch(reduce_unrolled<64, T>);
  if (block_size == 128) launch(reduce_unrolled<128, T>);
  if (block_size == 256) launch(reduce_unrolled<256, T>);
  if (block_size == 512) launch(reduce_unrolled<512, T>);
  if (block_size == 1024) launch(reduce_unrolled<1024, T>);
  return grid_size;
}

}  // namespace chapter6::exercise
