#pragma once
/// \file
/// Chapter 0: where the ladder starts: one thread, and one atomic per element.

#include <cstddef>
#include <type_traits>

#include "reductions/launch.cuh"

namespace chapter0::solution {

template <typename T>
__global__ void reduce_single_thread(const T* in, T* partials, std::size_t n) {
  // exercise: begin
  T sum{};
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
  // exercise: instead
  // T sum{};
  // static_cast<void>(in);
  // static_cast<void>(n);
  // exercise: end
  partials[0] = sum;
}

/// Launches a single thread, which stores the whole sum in `partials[0]`.
template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned) {
  reduce_single_thread<<<1, 1>>>(in, partials, n);
  return 1;
}

/// Adds `value` to `*sum` in one step that no other thread can interrupt. In two's complement, signed and unsigned
/// additions are the same.
template <typename T>
__device__ void add_atomically(T* sum, T value) {
  if constexpr (std::is_same_v<T, long long>) {
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
  } else {
    atomicAdd(sum, value);
  }
}

template <typename T>
__global__ void reduce_atomic(const T* in, T* partials, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) add_atomically(partials, in[i]);
}

/// Launches one thread per element. All of them add to `partials[0]`.
template <typename T>
std::size_t reduce_by_atomics(const T* in, T* partials, std::size_t n, unsigned block_size) {
  cudaMemsetAsync(partials, 0, sizeof(T), nullptr);
  reduce_atomic<<<workbook::block_count(n, block_size), block_size>>>(in, partials, n);
  return 1;
}

}  // namespace chapter0::solution
