#pragma once
/// \file
/// Chapter 14: a pipeline that generates its input and reads nothing, so its time is that of the reduction's end.

#include <cstddef>

#include "14_shuffle_trees/lanes.cuh"
#include "14_shuffle_trees/sum_kernel.hpp"
#include "workbook/every_type.hpp"

namespace chapter14 {

/// The largest number of threads in a block.
inline constexpr unsigned largest_block = 1024;

/// Returns the sum of a thread's values, `values_per_thread` neighbouring ones.
template <typename T>
__device__ T thread_sum(std::size_t n) {
  const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * values_per_thread;
  T sum{};
#pragma unroll
  for (unsigned k = 0; k < values_per_thread; ++k) sum += first + k < n ? static_cast<T>((first + k) % 1024) : T{};
  return sum;
}

/// The reduction ends with `Finish`, which returns the sum of the block in thread 0.
template <typename Finish, typename T>
__global__ void __launch_bounds__(largest_block) sum_counted(T* partials, std::size_t n) {
  __shared__ T tile[largest_block];

  // Load: each thread computes eight values.
  const T mine = thread_sum<T>(n);

  // Reduce in the block, and finish in the warp.
  const T sum = Finish::sum(mine, tile);

  // Write one result per block.
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

/// Each shuffle waits for the previous addition. The sum of the first `Lanes` lanes, valid in lane 0.
template <unsigned Lanes>
struct chain {
  template <typename T>
  __device__ static T sum(T value) {
#pragma unroll
    for (unsigned distance = Lanes / 2; distance > 0; distance /= 2) value += down(value, distance);
    return value;
  }
};

/// Four values per step in 16 lanes: the ten instructions that the article's search found.
struct found_tree {
  template <typename T>
  __device__ static T sum(T value) {
    const T a8 = down(value, 8), a12 = down(value, 12), a4 = down(value, 4);
    const T four = (a8 + value) + (a12 + a4);
    const T b3 = down(four, 3), b2 = down(four, 2), b1 = down(four, 1);
    return (b3 + four) + (b2 + b1);
  }
};

/// One instruction for the whole warp, for sums of 32-bit integers. It is not launched for other types.
struct redux {
  template <typename T>
  __device__ static T sum(T value) {
#if __CUDA_ARCH__ >= 800
    if constexpr (sizeof(T) == 4 && static_cast<T>(0.5) == T{}) return __reduce_add_sync(~0u, value);
#endif
    return chain<32>::sum(value);
  }
};

/// Two values per step in shared memory, with a barrier after each, until one warp is left.
struct by_two {
  template <typename T>
  __device__ static T sum(T sum, T* tile) {
    const unsigned tid = threadIdx.x;
    tile[tid] = sum;
    __syncthreads();  // every thread's sum is in the tile before another reads it
#pragma unroll
    for (unsigned stride = largest_block / 2; stride >= 32; stride /= 2) {
      if (stride >= blockDim.x) continue;
      if (tid < stride) tile[tid] = sum = sum + tile[tid + stride];
      __syncthreads();  // this step's sums are written before the next step reads them
    }
    return tid < 32 ? chain<32>::sum(sum) : T{};
  }
};

/// Four values per step in shared memory, until 16 lanes are left.
template <typename Last>
struct by_four {
  template <typename T>
  __device__ static T sum(T sum, T* tile) {
    const unsigned tid = threadIdx.x;
    tile[tid] = sum;
    __syncthreads();  // every thread's sum is in the tile before another reads it
#pragma unroll
    for (unsigned stride = largest_block / 4; stride >= 16; stride /= 4) {
      if (stride * 4 > blockDim.x) continue;
      // No thread writes what another one reads here: sums are written below the stride, and values are read above it.
      if (tid < stride)
        tile[tid] = sum = (sum + tile[tid + stride]) + (tile[tid + 2 * stride] + tile[tid + 3 * stride]);
      __syncthreads();  // this step's sums are written before the next step reads them
    }
    // All lanes of the first warp take part, but the values of the upper 16 lanes don't reach lane 0.
    return tid < 32 ? Last::sum(sum) : T{};
  }
};

/// A single barrier: each lane of the first warp adds up 32 values, and then the warp adds up its lanes' sums.
template <typename Last>
struct by_thirty_two {
  template <typename T>
  __device__ static T sum(T sum, T* tile) {
    const unsigned tid = threadIdx.x;
    tile[tid] = sum;
    __syncthreads();  // every thread's sum is in the tile before the first warp reads it
    if (tid >= 32) return T{};
    T values[32];
#pragma unroll
    for (unsigned k = 1; k < 32; ++k) values[k] = k * 32 < blockDim.x ? tile[tid + k * 32] : T{};
#pragma unroll
    for (unsigned k = 1; k < 32; ++k) sum += values[k];
    return Last::sum(sum);
  }
};

/// Returns the kernel that ends with `Finish`, for every element type.
template <typename Finish>
sum_kernel kernels_with() {
  return {workbook::kernels_of_every_type([]<typename T>(T*) { return sum_counted<Finish, T>; })};
}

}  // namespace chapter14
