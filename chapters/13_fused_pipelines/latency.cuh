#pragma once
/// \file
/// Six kernels for the sum of 0, 1, … n - 1, which reads no input, so that only latency matters. Each of them has
/// blocks of 1024 threads, takes 8 numbers per thread, and writes one sum per block.
///
/// Threads that have nothing left to do may exit, because a barrier waits only for threads that haven't exited. They
/// exit after a barrier, and never between their last store and a barrier, because an exit orders nothing.

#include <cstddef>

#include "reductions/ranges/sources.cuh"
#include "reductions/shuffle.cuh"

namespace chapter13 {

inline constexpr unsigned latency_block = 1024;
inline constexpr unsigned numbers_a_thread = 8;

/// Returns the sum of those of the thread's 8 numbers that are below n.
template <typename T>
__device__ T sum_of_eight(std::size_t n) {
  const workbook::iota_view<T> numbers{T{}, n};
  const std::size_t i = (std::size_t{blockIdx.x} * latency_block + threadIdx.x) * numbers_a_thread;
  T sum{};
  if (i + numbers_a_thread <= n) {
    const auto a = numbers.template get_vector<4, workbook::caching::usual>(i);
    const auto b = numbers.template get_vector<4, workbook::caching::usual>(i + 4);
    T other{};
    for (unsigned k = 0; k < 4; ++k) sum += a.elements[k];
    for (unsigned k = 0; k < 4; ++k) other += b.elements[k];
    return sum + other;
  }
  for (std::size_t k = i; k < n; ++k) sum += numbers[k];
  return sum;
}

/// Chapter 3's tree: two loads from shared memory per step, and all threads stay until the end.
template <typename T>
__global__ void iota_tree(T* partials, std::size_t n) {
  __shared__ T tile[latency_block];
  const unsigned tid = threadIdx.x;
  tile[tid] = sum_of_eight<T>(n);
  __syncthreads();  // the tile is written before others read it
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();  // this step's sums are written before the next one reads them
  }
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Early exit: barriers no longer wait for threads that have nothing left to add.
template <typename T>
__global__ void iota_early_exit(T* partials, std::size_t n) {
  __shared__ T tile[latency_block];
  const unsigned tid = threadIdx.x;
  tile[tid] = sum_of_eight<T>(n);
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();  // the previous step's sums are written before they are read
    if (tid >= stride) return;
    tile[tid] += tile[tid + stride];
  }
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Each thread keeps its own sum in a register, the steps are unrolled, and the last warp shuffles.
template <typename T>
__global__ void __launch_bounds__(latency_block)  // the steps below are for this size only
    iota_shuffles(T* partials, std::size_t n) {
  __shared__ T tile[latency_block];
  const unsigned tid = threadIdx.x;
  T sum = sum_of_eight<T>(n);
#pragma unroll  // every stride becomes a constant
  for (unsigned stride = latency_block / 2; stride >= 32; stride /= 2) {
    tile[tid] = sum;
    __syncthreads();  // all sums of this step are written before they are read
    if (tid >= stride) return;
    sum += tile[tid + stride];
  }
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2) sum += workbook::shuffle_down(~0u, sum, offset);
  if (tid == 0) partials[blockIdx.x] = sum;
}

/// Adds the sums of the threads 256, 512 and 768 further on, then 64, 128 and 192, then 16, 32 and 48, with three
/// barriers. Returns true in the first 16 threads, and false in all others.
template <typename T>
__device__ bool four_a_step(T* tile, T& sum) {
  const unsigned tid = threadIdx.x;
#pragma unroll
  for (unsigned stride = latency_block / 4; stride >= 16; stride /= 4) {
    tile[tid] = sum;
    __syncthreads();  // all sums of this step are written before they are read
    if (tid >= stride) return false;
    sum = (sum + tile[tid + stride]) + (tile[tid + 2 * stride] + tile[tid + 3 * stride]);
  }
  return true;
}

/// Four values per step, so only half as many barriers.
template <typename T>
__global__ void __launch_bounds__(latency_block)  // as in iota_shuffles
    iota_four_a_step(T* partials, std::size_t n) {
  __shared__ T tile[latency_block];
  T sum = sum_of_eight<T>(n);
  if (!four_a_step(tile, sum)) return;
#pragma unroll
  for (unsigned offset = 8; offset > 0; offset /= 2) sum += workbook::shuffle_down(0xffffu, sum, offset);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

/// Concurrent shuffles: two steps of three shuffles that don't wait for each other, instead of a chain of four.
template <typename T>
__global__ void __launch_bounds__(latency_block)  // as in iota_shuffles
    iota_concurrent_shuffles(T* partials, std::size_t n) {
  __shared__ T tile[latency_block];
  T sum = sum_of_eight<T>(n);
  if (!four_a_step(tile, sum)) return;
#pragma unroll
  for (unsigned offset = 4; offset > 0; offset /= 4) {
    const T a = workbook::shuffle_down(0xffffu, sum, offset);
    const T b = workbook::shuffle_down(0xffffu, sum, 2 * offset);
    const T c = workbook::shuffle_down(0xffffu, sum, 3 * offset);
    sum = (sum + a) + (b + c);
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

/// A single warp: after one barrier, each of its lanes adds 32 sums. Then come steps of 8 and 4 values.
template <typename T>
__global__ void __launch_bounds__(latency_block)  // as in iota_shuffles
    iota_single_warp(T* partials, std::size_t n) {
  __shared__ T tile[latency_block];
  const unsigned tid = threadIdx.x;
  tile[tid] = sum_of_eight<T>(n);
  __syncthreads();  // all sums are written before the first warp reads them
  if (tid >= 32) return;
  T sum{};
#pragma unroll
  for (unsigned k = 0; k < 32; ++k) sum += tile[tid + 32 * k];
  T others[8];
#pragma unroll
  for (unsigned k = 1; k < 8; ++k) others[k] = workbook::shuffle_down(~0u, sum, 4 * k);
#pragma unroll
  for (unsigned k = 1; k < 8; ++k) sum += others[k];
#pragma unroll
  for (unsigned k = 1; k < 4; ++k) others[k] = workbook::shuffle_down(~0u, sum, k);
#pragma unroll
  for (unsigned k = 1; k < 4; ++k) sum += others[k];
  if (tid == 0) partials[blockIdx.x] = sum;
}

}  // namespace chapter13
