#pragma once
/// \file
/// Row-wise softmax kernels that move more bytes than the chapter's reference, with one block per row: three passes, a
/// single launch that reads each row three times, and a single launch that reads it twice.

#include <cstddef>

#include "13_fused_pipelines/scores.cuh"
#include "reductions/block_reduce.cuh"

namespace chapter13 {

/// Writes the largest score of row b to `maxima[b]`. This and the next two kernels are what the exercise starts with.
template <typename T>
__global__ void largest_of_each_row(const T* in, probability<T>* maxima, unsigned columns) {
  in += std::size_t{blockIdx.x} * columns;
  auto largest = workbook::maximum::identity<probability<T>>();
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x)
    largest = workbook::maximum{}(largest, static_cast<probability<T>>(in[c]));
  largest = workbook::block_reduce(largest, workbook::maximum{});
  if (threadIdx.x == 0) maxima[blockIdx.x] = largest;
}

/// Writes the sum of row b's exponentials to `sums[b]`.
template <typename T>
__global__ void sum_of_each_row(const T* in, const probability<T>* maxima, probability<T>* sums, unsigned columns) {
  in += std::size_t{blockIdx.x} * columns;
  const probability<T> largest = maxima[blockIdx.x];
  probability<T> sum{};
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) sum += exp(static_cast<probability<T>>(in[c]) - largest);
  sum = workbook::block_reduce(sum, workbook::plus{});
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// Divides each exponential by the sum of its row, with a single division per thread.
template <typename T>
__global__ void scale_each_row(const T* in, const probability<T>* maxima, const probability<T>* sums,
                               probability<T>* out, unsigned columns) {
  in += std::size_t{blockIdx.x} * columns;
  out += std::size_t{blockIdx.x} * columns;
  const probability<T> largest = maxima[blockIdx.x], factor = 1 / sums[blockIdx.x];
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x)
    out[c] = exp(static_cast<probability<T>>(in[c]) - largest) * factor;
}

/// The three passes in one kernel, which reads its row three times. Rows may be of any length.
template <typename T>
__global__ void softmax_read_three_times(const T* in, probability<T>* out, unsigned columns) {
  __shared__ probability<T> row_max, row_sum;
  const unsigned tid = threadIdx.x;
  in += std::size_t{blockIdx.x} * columns;
  out += std::size_t{blockIdx.x} * columns;
  auto largest = workbook::maximum::identity<probability<T>>();
  for (unsigned c = tid; c < columns; c += blockDim.x)
    largest = workbook::maximum{}(largest, static_cast<probability<T>>(in[c]));
  largest = workbook::block_reduce(largest, workbook::maximum{});
  if (tid == 0) row_max = largest;
  __syncthreads();  // thread 0 has written the largest score before any thread reads it
  largest = row_max;
  probability<T> sum{};
  for (unsigned c = tid; c < columns; c += blockDim.x) sum += exp(static_cast<probability<T>>(in[c]) - largest);
  sum = workbook::block_reduce(sum, workbook::plus{});
  if (tid == 0) row_sum = sum;
  __syncthreads();  // thread 0 has written the sum before any thread reads it
  const probability<T> factor = 1 / row_sum;
  for (unsigned c = tid; c < columns; c += blockDim.x)
    out[c] = exp(static_cast<probability<T>>(in[c]) - largest) * factor;
}

/// The largest of some scores, and the sum of the exponentials of their differences from it; 0 for no scores.
template <typename P>
struct running_softmax {
  P largest, sum;
};

/// Combines the results for two sets of scores. The sum with the smaller largest score is scaled down first.
/// Source: Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018.
struct combine_softmax {
  template <typename P>
  __device__ running_softmax<P> operator()(running_softmax<P> a, running_softmax<P> b) const {
    if (a.sum == 0) return b;  // If both were empty, minus infinity would be subtracted from itself.
    if (b.sum == 0) return a;
    return a.largest < b.largest ? running_softmax<P>{b.largest, b.sum + a.sum * exp(a.largest - b.largest)}
                                 : running_softmax<P>{a.largest, a.sum + b.sum * exp(b.largest - a.largest)};
  }
};

/// Finds the largest score and the sum of the exponentials in one pass, and reads the row again for the division. Rows
/// may have any length.
template <typename T>
__global__ void softmax_read_twice(const T* in, probability<T>* out, unsigned columns) {
  using running = running_softmax<probability<T>>;
  __shared__ running row;
  const unsigned tid = threadIdx.x;
  in += std::size_t{blockIdx.x} * columns;
  out += std::size_t{blockIdx.x} * columns;
  running found{workbook::maximum::identity<probability<T>>(), 0};
  for (unsigned c = tid; c < columns; c += blockDim.x)
    found = combine_softmax{}(found, running{static_cast<probability<T>>(in[c]), 1});
  found = workbook::block_reduce(found, combine_softmax{});
  if (tid == 0) row = found;
  __syncthreads();  // thread 0 has written the block's result before any thread reads it
  const probability<T> largest = row.largest, factor = 1 / row.sum;
  for (unsigned c = tid; c < columns; c += blockDim.x)
    out[c] = exp(static_cast<probability<T>>(in[c]) - largest) * factor;
}

}  // namespace chapter13
