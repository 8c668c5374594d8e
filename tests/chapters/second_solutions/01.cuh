#pragma once
/// \file
/// A second right solution of chapter 1: two tiles alternate. A step reads from one of them and writes to the other.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter1::exercise {

template <typename T>
__global__ void reduce_interleaved(const T* in, T* partials, std::size_t n) {
  T* from = workbook::dynamic_shared<T>();
  T* to = from + blockDim.x;
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  from[tid] = i < n ? in[i] : T{};
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();  // the previous step's writes are done before this step reads them
    to[tid] = tid + stride < blockDim.x ? from[tid] + from[tid + stride] : from[tid];
    T* const other = from;
    from = to;
    to = other;
  }
  if (tid == 0) partials[blockIdx.x] = from[0];
}

/// Declared as in the chapter.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_interleaved<<<grid_size, block_size, 2 * block_size * sizeof(T)>>>(in, partials, n);
  return grid_size;
}

}  // namespace chapter1::exercise
