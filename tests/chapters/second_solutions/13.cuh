#pragma once
/// \file
/// A second right solution of chapter 13: the row stays in registers, and all threads add up the warps' results.

#include <cstddef>

#include "13_fused_pipelines/scores.cuh"
#include "reductions/block_reduce.cuh"
#include "reductions/shuffle.cuh"

namespace chapter13::exercise {

/// Returns op over the values of all threads of the block. The result is valid in every thread.
template <typename P, typename Op>
__device__ P all_reduce(P value, Op op, P* words) {
  const unsigned lane = threadIdx.x % workbook::warp_size, warp = threadIdx.x / workbook::warp_size;
  value = workbook::warp_reduce(value, op);
  __syncthreads();  // the words have been read before they are written again
  if (lane == 0) words[warp] = value;
  __syncthreads();  // all words are written before any is read
  for (unsigned w = 0; w < blockDim.x / workbook::warp_size; ++w) value = w == 0 ? words[0] : op(value, words[w]);
  return value;
}

template <typename T>
__global__ void softmax_in_registers(const T* in, probability<T>* out, unsigned columns) {
  using P = probability<T>;
  constexpr unsigned threads = 256, most = max_columns / threads;
  __shared__ P words[workbook::warp_size];
  const std::size_t first = std::size_t{blockIdx.x} * columns;
  P mine[most];
  P largest = workbook::maximum::identity<P>(), sum{};
#pragma unroll
  for (unsigned k = 0; k < most; ++k) {
    if (k * threads >= columns) break;
    const unsigned c = k * threads + threadIdx.x;
    mine[k] = c < columns ? static_cast<P>(in[first + c]) : workbook::maximum::identity<P>();
    largest = workbook::maximum{}(largest, mine[k]);
  }
  largest = all_reduce(largest, workbook::maximum{}, words);
#pragma unroll
  for (unsigned k = 0; k < most; ++k) {
    if (k * threads >= columns) break;
    mine[k] = exp(mine[k] - largest);
    sum += mine[k];
  }
  const P factor = 1 / all_reduce(sum, workbook::plus{}, words);
#pragma unroll
  for (unsigned k = 0; k < most; ++k)
    if (const unsigned c = k * threads + threadIdx.x; c < columns) out[first + c] = mine[k] * factor;
}

/// Declared as in the chapter.
template <typename T>
void softmax(const T* in, probability<T>* out, unsigned rows, unsigned columns, void*) {
  if (rows != 0) softmax_in_registers<<<rows, 256>>>(in, out, columns);
}

}  // namespace chapter13::exercise
