#pragma once
/// \file
/// Other sums in one launch: with an atomic operation per thread, warp or block, and with a grid-wide barrier.

#include <cstddef>

#include <cooperative_groups.h>

#include "reductions/atomic.cuh"
#include "reductions/block_reduce.cuh"
#include "reductions/launch.cuh"
#include "reductions/vector.cuh"

namespace chapter12 {

/// The part of the grid that adds its sum to the total with one atomic operation.
enum class adder { thread, warp, block };

/// Returns the sum of the thread's share: 16 bytes per load, and at most one element before or after the vectors.
template <typename T>
__device__ T sum_of_thread(const T* in, std::size_t n) {
  constexpr unsigned N = workbook::elements_per_load<T>;
  const std::size_t head = workbook::elements_before_vectors(in, n);
  const std::size_t vectors = (n - head) / N;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  T sum{};
  if (thread < n - vectors * N) sum = in[thread < head ? thread : vectors * N + thread];
#pragma unroll 2  // as many loads in flight as in chapters 8 and 9
  for (std::size_t i = thread; i < vectors; i += std::size_t{gridDim.x} * blockDim.x) {
    const workbook::vector<N, T> a = workbook::load<N>(in + head + i * N);
    for (unsigned k = 0; k < N; ++k) sum += a.elements[k];
  }
  return sum;
}

/// Adds all elements to `*total`, which must be 0. The order of the additions isn't fixed.
template <adder By, typename T>
__global__ void reduce_atomics(const T* in, T* total, std::size_t n) {
  T sum = sum_of_thread(in, n);
  if constexpr (By == adder::warp) sum = workbook::warp_reduce(sum, workbook::plus{});
  if constexpr (By == adder::block) sum = workbook::block_reduce(sum, workbook::plus{});
  const bool adds = By == adder::thread || (By == adder::warp ? threadIdx.x % 32 == 0 : threadIdx.x == 0);
  if (adds) workbook::add_atomically(total, sum);
}

/// Writes a sum per block to `partials`, and then the whole sum to `partials[0]`. All blocks must run at once.
template <typename T>
__global__ void reduce_grid_sync(const T* in, T* partials, std::size_t n) {
  T sum = workbook::block_reduce(sum_of_thread(in, n), workbook::plus{});
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();  // every block's sum is written before the first block reads them
  if (blockIdx.x == 0) {
    sum = T{};
    for (unsigned k = threadIdx.x; k < gridDim.x; k += blockDim.x) sum += partials[k];
    sum = workbook::block_reduce(sum, workbook::plus{});
    if (threadIdx.x == 0) partials[0] = sum;
  }
}

/// Returns how many blocks to launch for `n` elements. Each thread has at least one load. At most half of the blocks
/// that fit are launched, so that a grid whose blocks wait for each other fits whatever its number of registers is.
template <typename T>
unsigned grid_size_for(std::size_t n, unsigned block_size) {
  const unsigned most = workbook::multiprocessor_count() * (block_size < 1024 ? 1024 / block_size : 1);
  const unsigned wanted = workbook::block_count(n, std::size_t{block_size} * workbook::elements_per_load<T>);
  return wanted < most ? wanted : most;
}

/// Sets `*total` to 0 and adds to it: a memset and a launch.
template <adder By, typename T>
std::size_t reduce_by_atomics(const T* in, T* total, std::size_t n, unsigned block_size) {
  cudaMemsetAsync(total, 0, sizeof(T), nullptr);
  reduce_atomics<By><<<grid_size_for<T>(n, block_size), block_size>>>(in, total, n);
  return 1;
}

/// Launches a grid whose blocks can wait for each other.
template <typename T>
std::size_t reduce_by_grid_sync(const T* in, T* partials, std::size_t n, unsigned block_size) {
  void* arguments[] = {&in, &partials, &n};
  // The caller finds a failure with cudaGetLastError.
  (void)cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&reduce_grid_sync<T>),
                                    dim3(grid_size_for<T>(n, block_size)), dim3(block_size), arguments, 0, nullptr);
  return 1;
}

}  // namespace chapter12
