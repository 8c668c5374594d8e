#pragma once
/// \file
/// Chapter 13: a softmax of rows in one kernel, which reads every score once.

#include <cstddef>

#include "13_fused_pipelines/scores.cuh"
#include "reductions/block_reduce.cuh"

namespace chapter13::solution {

// exercise: begin
/// Each block turns one row of scores into probabilities.
template <typename T>
__global__ void softmax_of_row(const T* in, probability<T>* out, unsigned columns) {
  __shared__ probability<T> tile[max_columns];
  __shared__ probability<T> row_max, row_sum;
  const unsigned tid = threadIdx.x;
  in += std::size_t{blockIdx.x} * columns;
  out += std::size_t{blockIdx.x} * columns;

  // Load: a thread stores its scores in the tile. No other thread uses these, so there is no barrier.
  auto largest = workbook::maximum::identity<probability<T>>();
  for (unsigned c = tid; c < columns; c += blockDim.x) {
    tile[c] = static_cast<probability<T>>(in[c]);
    largest = workbook::maximum{}(largest, tile[c]);
  }
  // Reduce in the block: the largest score.
  largest = workbook::block_reduce(largest, workbook::maximum{});
  if (tid == 0) row_max = largest;
  __syncthreads();  // thread 0 has written the largest score before any thread reads it
  largest = row_max;

  // Reduce in the block: the sum of the exponentials, which replace the scores.
  probability<T> sum{};
  for (unsigned c = tid; c < columns; c += blockDim.x) {
    tile[c] = exp(tile[c] - largest);
    sum += tile[c];
  }
  sum = workbook::block_reduce(sum, workbook::plus{});
  if (tid == 0) row_sum = sum;
  __syncthreads();  // thread 0 has written the sum before any thread reads it

  // Write: each exponential over the sum. A thread divides once.
  const probability<T> factor = 1 / row_sum;
  for (unsigned c = tid; c < columns; c += blockDim.x) out[c] = tile[c] * factor;
}
// exercise: instead
// /// Pass 1: the largest score of each row.
// template <typename T>
// __global__ void row_maxima(const T* in, probability<T>* maxima, unsigned columns) {
//   in += std::size_t{blockIdx.x} * columns;
//   auto largest = workbook::maximum::identity<probability<T>>();
//   for (unsigned c = threadIdx.x; c < columns; c += blockDim.x)
//     largest = workbook::maximum{}(largest, static_cast<probability<T>>(in[c]));
//   largest = workbook::block_reduce(largest, workbook::maximum{});
//   if (threadIdx.x == 0) maxima[blockIdx.x] = largest;
// }
//
// /// Pass 2: the sum of each row's exponentials.
// template <typename T>
// __global__ void row_sums(const T* in, const probability<T>* maxima, probability<T>* sums, unsigned columns) {
//   in += std::size_t{blockIdx.x} * columns;
//   const probability<T> largest = maxima[blockIdx.x];
//   probability<T> sum{};
//   for (unsigned c = threadIdx.x; c < columns; c += blockDim.x) {
//     sum += exp(static_cast<probability<T>>(in[c]) - largest);
//   }
//   sum = workbook::block_reduce(sum, workbook::plus{});
//   if (threadIdx.x == 0) sums[blockIdx.x] = sum;
// }
//
// /// Pass 3: each exponential over the sum of its row. A thread divides once.
// template <typename T>
// __global__ void scale(const T* in, const probability<T>* maxima, const probability<T>* sums, probability<T>* out,
//                       unsigned columns) {
//   in += std::size_t{blockIdx.x} * columns;
//   out += std::size_t{blockIdx.x} * columns;
//   const probability<T> largest = maxima[blockIdx.x], factor = 1 / sums[blockIdx.x];
//   for (unsigned c = threadIdx.x; c < columns; c += blockDim.x)
//     out[c] = exp(static_cast<probability<T>>(in[c]) - largest) * factor;
// }
// exercise: end

/// Writes exp(x - m) / s for every score x of a row, where m is the row's largest score and s is the sum of exp(x - m)
/// over the row. `in` and `out` have `rows` rows of `columns` elements in device memory, without gaps; `rows` may be 0,
/// and `columns` is 1 to `max_columns`. `workspace` has room for two probabilities per row. Scores are turned into
/// probability<T> first. Does not synchronise.
template <typename T>
void softmax(const T* in, probability<T>* out, unsigned rows, unsigned columns, [[maybe_unused]] void* workspace) {
  if (rows == 0) return;
  constexpr unsigned block_size = 256;
  // exercise: begin
  softmax_of_row<<<rows, block_size>>>(in, out, columns);
  // exercise: instead
  // auto* const maxima = static_cast<probability<T>*>(workspace);
  // probability<T>* const sums = maxima + rows;
  // row_maxima<<<rows, block_size>>>(in, maxima, columns);
  // row_sums<<<rows, block_size>>>(in, maxima, sums, columns);
  // scale<<<rows, block_size>>>(in, maxima, sums, out, columns);
  // exercise: end
}

}  // namespace chapter13::solution
