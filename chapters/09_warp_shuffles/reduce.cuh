#pragma once
/// \file
/// Chapter 9, your kernel. The task is below.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reductions/launch.cuh"

namespace chapter9::exercise {

/// N neighbouring elements.
template <unsigned N, typename T>
struct vector {
  T elements[N];
};

/// Returns the N elements at `in` (device, aligned to 16 bytes), loaded with one instruction. Valid in every thread.
template <unsigned N, typename T>
__device__ vector<N, T> load(const T* in) {
  static_assert(std::is_trivially_copyable_v<T> && N * sizeof(T) == sizeof(uint4));
  // Legal: the address is a multiple of 16, and the bits of any trivially copyable type may be copied as four words.
  return std::bit_cast<vector<N, T>>(*reinterpret_cast<const uint4*>(in));
}

template <unsigned block_size, typename T>
__global__ void reduce_vector_loads(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t grid_stride = std::size_t{gridDim.x} * (2 * block_size);

  // Load, the fast path: N elements per instruction, beginning at the first address that is a multiple of 16.
  constexpr unsigned N = 16 / sizeof(T);
  const std::size_t skipped = -(reinterpret_cast<std::uintptr_t>(in) / sizeof(T)) % N;
  const std::size_t head = skipped < n ? skipped : n;
  const std::size_t vectors = (n - head) / N;
  vector<N, T> sums{};
  std::size_t i = std::size_t{blockIdx.x} * (2 * block_size) + tid;
  for (; i + block_size < vectors; i += grid_stride) {
    const vector<N, T> a = load<N>(in + head + i * N);
    const vector<N, T> b = load<N>(in + head + (i + block_size) * N);
    for (unsigned k = 0; k < N; ++k) sums.elements[k] += a.elements[k] + b.elements[k];
  }
  if (i < vectors) {
    const vector<N, T> a = load<N>(in + head + i * N);
    for (unsigned k = 0; k < N; ++k) sums.elements[k] += a.elements[k];
  }

  // Load, the slow path: the few elements before the first vector and after the last, one per thread.
  T sum{};
  if (blockIdx.x == 0 && tid < n - vectors * N) sum = in[tid < head ? tid : vectors * N + tid];
  for (unsigned k = 0; k < N; ++k) sum += sums.elements[k];
  tile[tid] = sum;
  __syncthreads();  // all sums are in the tile before any thread reads another's

  // TODO(chapter 9): let lanes add from each other's registers, with one word of shared memory per warp and one
  // barrier per block.
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
  const unsigned wanted = workbook::block_count(n, 2 * std::size_t{block_size} * (16 / sizeof(T)));
  const unsigned grid_size = wanted < resident ? wanted : resident;
  const std::size_t shared_bytes = block_size * sizeof(T);
  switch (block_size) {
    case 32:
      reduce_vector_loads<32><<<grid_size, 32, shared_bytes>>>(in, partials, n);
      break;
    case 64:
      reduce_vector_loads<64><<<grid_size, 64, shared_bytes>>>(in, partials, n);
      break;
    case 128:
      reduce_vector_loads<128><<<grid_size, 128, shared_bytes>>>(in, partials, n);
      break;
    case 256:
      reduce_vector_loads<256><<<grid_size, 256, shared_bytes>>>(in, partials, n);
      break;
    case 512:
      reduce_vector_loads<512><<<grid_size, 512, shared_bytes>>>(in, partials, n);
      break;
    case 1024:
      reduce_vector_loads<1024><<<grid_size, 1024, shared_bytes>>>(in, partials, n);
      break;
    default:
      return 0;
  }
  return grid_size;
}

}  // namespace chapter9::exercise
