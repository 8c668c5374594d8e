#pragma once
/// \file
/// Chapter 9: warp shuffles: lanes read each other's registers, and a block needs one word per warp and one barrier.

#include <concepts>
#include <cstddef>

#include "reductions/launch.cuh"
#include "reductions/operators.cuh"
#include "reductions/shuffle.cuh"
#include "reductions/vector.cuh"

namespace chapter9::solution {

using workbook::warp_size;

/// Combines the values of lanes 0 to `members` - 1, all of which must call it. The result is valid in lane 0.
template <typename T, typename Op>
__device__ T warp_reduce(T value, Op op, unsigned members = warp_size) {
  const unsigned mask = members == warp_size ? ~0u : (1u << members) - 1;
#pragma unroll
  for (unsigned offset = warp_size / 2; offset > 0; offset /= 2) {
    const T other = workbook::shuffle_down(mask, value, offset);
    // Lanes beyond the members have no value. A full warp needs no test, because lane 0 never reads from beyond it.
    if (members == warp_size || threadIdx.x % warp_size + offset < members) value = op(value, other);
  }
  return value;
}

#if __CUDA_ARCH__ >= 800
template <typename T>
concept summable_by_hardware = std::same_as<T, int> || std::same_as<T, unsigned>;

/// As above, for sums of 32-bit integers: one instruction.
template <summable_by_hardware T>
__device__ T warp_reduce(T value, workbook::plus, unsigned members = warp_size) {
  return __reduce_add_sync(members == warp_size ? ~0u : (1u << members) - 1, value);
}
#endif

/// Combines the values of all threads of the block, whose size is a multiple of 32. The result is valid in thread 0.
/// Call it once per kernel, because a second call would need another barrier before it.
template <typename T, typename Op>
__device__ T block_reduce(T value, Op op) {
  __shared__ T tile[warp_size];
  const unsigned tid = threadIdx.x;
  const unsigned warps = blockDim.x / warp_size;
  value = warp_reduce(value, op);
  if (tid % warp_size == 0) tile[tid / warp_size] = value;
  __syncthreads();  // every warp's value is in the tile before the first warp reads it
  if (tid < warps) value = warp_reduce(tile[tid], op, warps);
  return value;
}

template <typename T, typename Op>
__global__ void reduce_shuffles(const T* in, T* partials, std::size_t n, Op op) {
  const unsigned tid = threadIdx.x;
  const unsigned block_size = blockDim.x;
  const std::size_t grid_stride = std::size_t{gridDim.x} * (2 * block_size);

  // Load, the fast path: N elements per instruction, beginning at the first address that is a multiple of 16.
  constexpr unsigned N = workbook::elements_per_load<T>;
  const std::size_t head = workbook::elements_before_vectors(in, n);
  const std::size_t vectors = (n - head) / N;
  workbook::vector<N, T> sums;
  for (unsigned k = 0; k < N; ++k) sums.elements[k] = Op::template identity<T>();
  std::size_t i = std::size_t{blockIdx.x} * (2 * block_size) + tid;
  for (; i + block_size < vectors; i += grid_stride) {
    const workbook::vector<N, T> a = workbook::load<N>(in + head + i * N);
    const workbook::vector<N, T> b = workbook::load<N>(in + head + (i + block_size) * N);
    for (unsigned k = 0; k < N; ++k) sums.elements[k] = op(sums.elements[k], op(a.elements[k], b.elements[k]));
  }
  if (i < vectors) {
    const workbook::vector<N, T> a = workbook::load<N>(in + head + i * N);
    for (unsigned k = 0; k < N; ++k) sums.elements[k] = op(sums.elements[k], a.elements[k]);
  }

  // Load, the slow path: the few elements before the first vector and after the last, one per thread.
  T sum = Op::template identity<T>();
  if (blockIdx.x == 0 && tid < n - vectors * N) sum = in[tid < head ? tid : vectors * N + tid];
  for (unsigned k = 0; k < N; ++k) sum = op(sum, sums.elements[k]);

  // Reduce in the block and finish in the warp: registers, one word of shared memory per warp, one barrier.
  sum = block_reduce(sum, op);

  // Write one result per block.
  if (tid == 0) partials[blockIdx.x] = sum;
}

/// Launches one pass over the `n` elements at `in`; leaves one result per block in `partials` and returns their count.
/// The block size is any multiple of 32 up to 1024. T has 1, 2, 4, 8 or 16 bytes.
template <typename T, workbook::reduction_operator<T> Op = workbook::plus>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size, Op op = {}) {
  // At most as many blocks as run at once on the device. One block can add up the results of such a grid.
  const unsigned resident = workbook::resident_blocks(block_size);
  const std::size_t per_block = 2 * std::size_t{block_size} * workbook::elements_per_load<T>;
  const unsigned wanted = n <= resident ? 1u : workbook::block_count(n, per_block);
  const unsigned grid_size = wanted < resident ? wanted : resident;
  reduce_shuffles<<<grid_size, block_size>>>(in, partials, n, op);
  return grid_size;
}

}  // namespace chapter9::solution
