#pragma once
/// \file
/// Reductions over a warp and over a block, as you wrote them in chapter 9.

#include <concepts>
#include <type_traits>

#include "reductions/operators.cuh"
#include "reductions/shuffle.cuh"

namespace workbook {

/// Combines the values of lanes 0 to `members` - 1, all of which must call it. The result is valid in lane 0.
template <typename T, typename Op>
__device__ T warp_reduce(T value, Op op, unsigned members = warp_size) {
  const unsigned mask = members == warp_size ? ~0u : (1u << members) - 1;
#pragma unroll
  for (unsigned offset = warp_size / 2; offset > 0; offset /= 2) {
    const T other = shuffle_down(mask, value, offset);
    // Lanes beyond the members have no value. A full warp needs no test, because lane 0 never reads from beyond it.
    if (members == warp_size || threadIdx.x % warp_size + offset < members) value = op(value, other);
  }
  return value;
}

#if __CUDA_ARCH__ >= 800
/// Integers of up to 32 bits, which a warp combines with one instruction.
template <typename T>
concept combined_by_hardware = std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= sizeof(int);

/// The 32-bit type for such an integer. Widening changes neither which value is smaller nor the lower bits of a sum.
template <combined_by_hardware T>
using in_register = std::conditional_t<std::is_signed_v<T>, int, unsigned>;

/// As above, for sums of integers of up to 32 bits.
template <combined_by_hardware T>
__device__ T warp_reduce(T value, plus, unsigned members = warp_size) {
  const unsigned mask = members == warp_size ? ~0u : (1u << members) - 1;
  return static_cast<T>(__reduce_add_sync(mask, static_cast<in_register<T>>(value)));
}
/// As above, for the smallest of such integers.
template <combined_by_hardware T>
__device__ T warp_reduce(T value, minimum, unsigned members = warp_size) {
  const unsigned mask = members == warp_size ? ~0u : (1u << members) - 1;
  return static_cast<T>(__reduce_min_sync(mask, static_cast<in_register<T>>(value)));
}
/// As above, for the largest of such integers.
template <combined_by_hardware T>
__device__ T warp_reduce(T value, maximum, unsigned members = warp_size) {
  const unsigned mask = members == warp_size ? ~0u : (1u << members) - 1;
  return static_cast<T>(__reduce_max_sync(mask, static_cast<in_register<T>>(value)));
}
#endif

/// Combines the values of all threads of the block, whose size is a multiple of 32. The result is valid in thread 0.
/// Takes one barrier and one shared value per warp. Before a second call, the block needs another barrier.
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

/// As `block_reduce`, for blocks of exactly `BlockSize` threads, a multiple of 32. It has fewer instructions, which
/// matters in a short launch, because each of them must be fetched for the first time.
template <unsigned BlockSize, typename T, typename Op>
__device__ T block_reduce_of(T value, Op op) {
  constexpr unsigned warps = BlockSize / warp_size;
  static_assert(warps >= 1 && warps <= warp_size && BlockSize % warp_size == 0);
  value = warp_reduce(value, op);
  if constexpr (warps > 1) {
    __shared__ T tile[warps];
    const unsigned tid = threadIdx.x;
    if (tid % warp_size == 0) tile[tid / warp_size] = value;
    __syncthreads();  // every warp's value is in the tile before thread 0 or the first warp reads it
    if constexpr (warps <= 8) {
      if (tid == 0)
#pragma unroll
        for (unsigned w = 1; w < warps; ++w) value = op(value, tile[w]);
    } else {
      if (tid < warps) value = warp_reduce(tile[tid], op, warps);
    }
  }
  return value;
}

}  // namespace workbook
