#pragma once
/// \file
/// Hand-written kernels, each for one sum, for comparison with the pipelines. They are launched in the same shape as
/// the pipelines, so that only the code differs.

#include <cstddef>

#include "13_fused_pipelines/squared_difference.cuh"
#include "reductions/block_reduce.cuh"
#include "reductions/mailbox.cuh"
#include "reductions/ranges/sources.cuh"
#include "reductions/vector.cuh"

namespace chapter13 {

/// Writes the total of all blocks to `*out`. The last block receives the others' sums, as in reductions/reduce.cuh.
template <typename T>
__device__ void finish_in_last_block(T sum, T* out, workbook::mailbox<T>* boxes) {
  const workbook::plus add;
  const unsigned others = gridDim.x - 1;
  sum = workbook::block_reduce(sum, add);
  if (blockIdx.x < others) {
    if (threadIdx.x == 0) workbook::send(boxes[blockIdx.x], sum);
    return;
  }
  if (others > 0) {
    if (threadIdx.x != 0) sum = T{};
    for (unsigned k = threadIdx.x; k < others; k += blockDim.x) sum += workbook::receive(boxes[k]);
    __syncthreads();  // the tile of block_reduce is free again
    sum = workbook::block_reduce(sum, add);
  }
  if (threadIdx.x == 0) *out = sum;
}

/// Computes the sum of (x[i] - y[i])^2. Each thread has two vectors of each array in flight. Both arrays begin at a
/// multiple of 16 bytes.
template <typename T>
__global__ void __launch_bounds__(1024)  // as in workbook::reduce
    distance_by_hand(const T* x, const T* y, std::size_t n, T* out, workbook::mailbox<T>* boxes) {
  constexpr unsigned N = workbook::elements_per_load<T>;
  const std::size_t vectors = n / N;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  T sums[N] = {};
  std::size_t i = thread;
  for (; i + threads < vectors; i += 2 * threads) {
    const workbook::vector<N, T> a = workbook::load<N>(x + i * N), b = workbook::load<N>(y + i * N);
    const workbook::vector<N, T> c = workbook::load<N>(x + (i + threads) * N);
    const workbook::vector<N, T> d = workbook::load<N>(y + (i + threads) * N);
    for (unsigned k = 0; k < N; ++k) sums[k] += squared_difference(a.elements[k], b.elements[k]);
    for (unsigned k = 0; k < N; ++k) sums[k] += squared_difference(c.elements[k], d.elements[k]);
  }
  if (i < vectors) {
    const workbook::vector<N, T> a = workbook::load<N>(x + i * N), b = workbook::load<N>(y + i * N);
    for (unsigned k = 0; k < N; ++k) sums[k] += squared_difference(a.elements[k], b.elements[k]);
  }
  if (vectors * N + thread < n) sums[0] += squared_difference(x[vectors * N + thread], y[vectors * N + thread]);
  for (unsigned k = 1; k < N; ++k) sums[0] += sums[k];
  finish_in_last_block(sums[0], out, boxes);
}

/// Computes the sum of 0, 1, … n - 1. In each iteration, a thread adds four neighbouring numbers, twice.
template <typename T>
__global__ void __launch_bounds__(1024)  // as in distance_by_hand
    iota_by_hand(std::size_t n, T* out, workbook::mailbox<T>* boxes) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  T sums[4] = {};
  std::size_t i = 4 * thread;
  for (; i + 4 * threads + 4 <= n; i += 8 * threads) {
    for (unsigned k = 0; k < 4; ++k) sums[k] += static_cast<T>(i + k);
    for (unsigned k = 0; k < 4; ++k) sums[k] += static_cast<T>(i + 4 * threads + k);
  }
  for (; i < n; i += 4 * threads) {
    for (unsigned k = 0; k < 4; ++k) sums[k] += i + k < n ? static_cast<T>(i + k) : T{};
  }
  finish_in_last_block(sums[0] + sums[1] + (sums[2] + sums[3]), out, boxes);
}

}  // namespace chapter13
