#pragma once
/// \file
/// Chapter 7: many elements per thread, then one tree.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter7::solution {

template <unsigned block_size, typename T>
__global__ void reduce_many_per_thread(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t grid_stride = std::size_t{gridDim.x} * (2 * block_size);

  // Load: a thread's pairs of elements are one grid apart, so that a warp always reads 32 neighbours.
  T sum{};
  std::size_t i = std::size_t{blockIdx.x} * (2 * block_size) + tid;
  for (; i + block_size < n; i += grid_stride) sum += in[i] + in[i + block_size];
  if (i < n) sum += in[i];
  tile[tid] = sum;
  __syncthreads();  // all sums are in the tile before any thread reads another's

  // Reduce in the block: the compiler knows the block size, so there is no loop, and nothing tests it at run time.
  if constexpr (block_size >= 1024) {
    if (tid < 512) tile[tid] += tile[tid + 512];
    __syncthreads();  // this step's sums are written before the next step reads them
  }
  if constexpr (block_size >= 512) {
    if (tid < 256) tile[tid] += tile[tid + 256];
    __syncthreads();  // as above
  }
  if constexpr (block_size >= 256) {
    if (tid < 128) tile[tid] += tile[tid + 128];
    __syncthreads();  // as above
  }
  if constexpr (block_size >= 128) {
    if (tid < 64) tile[tid] += tile[tid + 64];
    __syncthreads();  // as above
  }

  // Finish in the warp: no block barrier is needed, but only __syncwarp orders the lanes.
  if (tid < 32) {
    sum = tile[tid];
    if constexpr (block_size >= 64) sum += tile[tid + 32];
#pragma unroll
    for (unsigned stride = 16; stride > 0; stride /= 2) {
      __syncwarp();  // the previous step's reads are done before this step writes
      tile[tid] = sum;
      __syncwarp();  // this step's sums are written before partners read them
      if (tid < stride) sum += tile[tid + stride];
    }
  }

  // Write one result per block.
  if (tid == 0) partials[blockIdx.x] = sum;
}

/// Launches one pass over the `n` elements at `in`; leaves one sum per block in `partials` and returns their count. The
/// block size is a template argument, so each block size has its own kernel.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  // At most as many blocks as run at once: they keep enough loads in flight, and more would only add trees.
  const unsigned resident = workbook::resident_blocks(block_size);
  const unsigned wanted = workbook::block_count(n, 2 * std::size_t{block_size});
  const unsigned grid_size = wanted < resident ? wanted : resident;
  const std::size_t shared_bytes = block_size * sizeof(T);
  switch (block_size) {
    case 32:
      reduce_many_per_thread<32><<<grid_size, 32, shared_bytes>>>(in, partials, n);
      break;
    case 64:
      reduce_many_per_thread<64><<<grid_size, 64, shared_bytes>>>(in, partials, n);
      break;
    case 128:
      reduce_many_per_thread<128><<<grid_size, 128, shared_bytes>>>(in, partials, n);
      break;
    case 256:
      reduce_many_per_thread<256><<<grid_size, 256, shared_bytes>>>(in, partials, n);
      break;
    case 512:
      reduce_many_per_thread<512><<<grid_size, 512, shared_bytes>>>(in, partials, n);
      break;
    case 1024:
      reduce_many_per_thread<1024><<<grid_size, 1024, shared_bytes>>>(in, partials, n);
      break;
    default:
      return 0;
  }
  return grid_size;
}

}  // namespace chapter7::solution
