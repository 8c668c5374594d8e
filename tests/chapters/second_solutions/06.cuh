#pragma once
/// \file
/// A second right solution of chapter 6: every warp has its own butterfly, and no step has a condition.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter6::exercise {

/// Returns the sum of `members` words of `tile` in every lane, by a butterfly without conditions. `members` is a power
/// of two up to 32. Called by the whole warp.
template <unsigned members, typename T>
__device__ T sum_in_warp(T* tile, unsigned lane, T sum) {
#pragma unroll
  for (unsigned stride = members / 2; stride > 0; stride /= 2) {
    tile[lane] = sum;
    __syncwarp();  // all sums are written before partners read them
    sum += tile[lane ^ stride];
    __syncwarp();  // all are read before the next step writes
  }
  return sum;
}

template <unsigned block_size, typename T>
__global__ void reduce_unrolled(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x, lane = tid % 32;
  constexpr unsigned warps = block_size / 32;
  const std::size_t i = std::size_t{blockIdx.x} * (2 * block_size) + tid;
  T sum = i < n ? in[i] : T{};
  if (i + block_size < n) sum += in[i + block_size];
  sum = sum_in_warp<32>(tile + tid - lane, lane, sum);
  if constexpr (warps > 1) {
    tile[tid] = sum;
    __syncthreads();  // every warp's sum is in its words before the first warp reads them
    if (tid < 32) {
      // Lane l takes the sum of warp l. Lanes beyond the warps take one that exists, and their result is not used.
      const T of_warp = tile[32 * (lane % warps)];
      __syncwarp();  // read before the first words are overwritten
      sum = sum_in_warp<warps>(tile, lane, of_warp);
    }
  }
  if (tid == 0) partials[blockIdx.x] = sum;
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
