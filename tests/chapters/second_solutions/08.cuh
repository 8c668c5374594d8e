#pragma once
/// \file
/// A second right solution of chapter 8: one vector per iteration, in its own vector type.

#include <cstddef>
#include <cstdint>

#include "reductions/launch.cuh"

namespace chapter8::exercise {

/// A vector of 16 bytes, aligned so that one instruction can load it.
template <typename T>
struct wide {
  alignas(16) T elements[16 / sizeof(T)];
};

template <unsigned block_size, typename T>
__global__ void reduce_vector_loads(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  constexpr unsigned N = 16 / sizeof(T);
  const std::size_t thread = std::size_t{blockIdx.x} * block_size + tid;
  const std::size_t threads = std::size_t{gridDim.x} * block_size;
  // Only few elements are before the first multiple of 16 bytes, or after the last whole vector.
  std::size_t begin = 0;
  while (begin < n && reinterpret_cast<std::uintptr_t>(in + begin) % 16 != 0) ++begin;
  const std::size_t wides = (n - begin) / N, rest = begin + wides * N;
  // Legal: the address is a multiple of 16, the alignment of `wide`.
  const auto* vectors = reinterpret_cast<const wide<T>*>(in + begin);
  T sum{};
  for (std::size_t v = thread; v < wides; v += threads) {
    const wide<T> all = vectors[v];
    for (unsigned k = 0; k < N; ++k) sum += all.elements[k];
  }
  if (thread < begin) sum += in[thread];
  if (thread < n - rest) sum += in[rest + thread];
  tile[tid] = sum;
#pragma unroll
  for (unsigned stride = block_size / 2; stride > 0; stride /= 2) {
    __syncthreads();  // the previous step's sums are written before this step reads them
    if (tid < stride) tile[tid] += tile[tid + stride];
  }
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

/// Declared as in the chapter.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  // Two blocks per SM: fewer than fit, but enough here.
  const unsigned most = 2 * workbook::multiprocessor_count();
  const unsigned wanted = workbook::block_count(n, std::size_t{block_size} * (16 / sizeof(T)));
  const unsigned grid_size = wanted < most ? wanted : most;
  const auto launch = [&](auto kernel) { kernel<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n); };
  if (block_size == 32) launch(reduce_vector_loads<32, T>);
  if (block_size == 64) launch(reduce_vector_loads<64, T>);
  if (block_size == 128) launch(reduce_vector_loads<128, T>);
  if (block_size == 256) launch(reduce_vector_loads<256, T>);
  if (block_size == 512) launch(reduce_vector_loads<512, T>);
  if (block_size == 1024) launch(reduce_vector_loads<1024, T>);
  return grid_size;
}

}  // namespace chapter8::exercise
