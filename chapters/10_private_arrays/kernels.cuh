#pragma once
/// \file
/// Chapter 10: the ways to keep a private array that your kernel is compared with. All but the last compute the same;
/// `gather` in private_arrays.cuh says what.

#include <cstddef>
#include <utility>

#include "device/shuffle.cuh"

namespace chapter10 {

inline constexpr unsigned length = 32;

/// The number of the thread in its block, whatever the block's shape, and in the grid.
__device__ inline unsigned thread_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline std::size_t thread_in_grid() {
  return std::size_t{blockIdx.x} * (blockDim.x * blockDim.y * blockDim.z) + thread_in_block();
}

/// One access: reads, rewrites, and adds to the sum.
template <typename T>
__device__ void access(T& element, unsigned s, T& sum) {
  const T weight = static_cast<T>(s % length + 1);
  sum += weight * element;
  element = weight - element;
}

/// Every index is written out: the array is 32 registers, and there is no array.
template <typename T, unsigned... k>
__device__ void access_each(T (&array)[length], T& sum, std::integer_sequence<unsigned, k...>) {
  (access(array[k], k, sum), ...);
}
template <typename T>
__global__ void gather_static(const T* in, const unsigned*, T* out, std::size_t n, unsigned reads) {
  const std::size_t t = thread_in_grid();
  if (t >= n) return;
  T array[length];
#pragma unroll
  for (unsigned k = 0; k < length; ++k) array[k] = in[k * n + t];
  T sum{};
  for (unsigned s = 0; s < reads; s += length) access_each(array, sum, std::make_integer_sequence<unsigned, length>());
  out[t] = sum;
}

/// A loop over the array that the compiler unrolls: every index is a constant again.
template <typename T>
__global__ void gather_unrolled(const T* in, const unsigned*, T* out, std::size_t n, unsigned reads) {
  const std::size_t t = thread_in_grid();
  if (t >= n) return;
  T array[length];
#pragma unroll
  for (unsigned k = 0; k < length; ++k) array[k] = in[k * n + t];
  T sum{};
  for (unsigned s = 0; s < reads; s += length) {
#pragma unroll
    for (unsigned k = 0; k < length; ++k) access(array[k], k, sum);
  }
  out[t] = sum;
}

/// An index that only the run knows, the same in all threads: local memory, whose layout suits it.
template <typename T>
__global__ void gather_uniform(const T* in, const unsigned* starts, T* out, std::size_t n, unsigned reads) {
  const std::size_t t = thread_in_grid();
  if (t >= n) return;
  T array[length];
  for (unsigned k = 0; k < length; ++k) array[k] = in[k * n + t];
  const unsigned start = starts[0];
  T sum{};
  for (unsigned s = 0; s < reads; ++s) access(array[(start + s) % length], s, sum);
  out[t] = sum;
}

/// An index of each thread's own: local memory, and as many sectors as lanes that differ.
template <typename T>
__global__ void gather_local(const T* in, const unsigned* starts, T* out, std::size_t n, unsigned reads) {
  const std::size_t t = thread_in_grid();
  if (t >= n) return;
  T array[length];
  for (unsigned k = 0; k < length; ++k) array[k] = in[k * n + t];
  const unsigned start = starts[t];
  T sum{};
  for (unsigned s = 0; s < reads; ++s) access(array[(start + s) % length], s, sum);
  out[t] = sum;
}

/// The array stays in registers: each access looks at all of them and selects one.
template <typename T>
__global__ void gather_by_selects(const T* in, const unsigned* starts, T* out, std::size_t n, unsigned reads) {
  const std::size_t t = thread_in_grid();
  if (t >= n) return;
  T array[length];
#pragma unroll
  for (unsigned k = 0; k < length; ++k) array[k] = in[k * n + t];
  const unsigned start = starts[t];
  T sum{};
#pragma unroll 1  // one chain of 32 selects is long enough
  for (unsigned s = 0; s < reads; ++s) {
    const unsigned i = (start + s) % length;
    T element = array[0];
#pragma unroll
    for (unsigned k = 1; k < length; ++k) element = k == i ? array[k] : element;
    access(element, s, sum);
#pragma unroll
    for (unsigned k = 0; k < length; ++k) array[k] = k == i ? element : array[k];
  }
  out[t] = sum;
}

/// One array a warp instead of one a thread: lane k keeps element k in a register, and any lane reads it by a shuffle.
/// It is only read: out[t] is the weighted sum of elements in[(t rounded down to 32) + k] (0 behind the end), from k =
/// starts[t] on.
template <typename T>
__global__ void gather_from_warp(const T* in, const unsigned* starts, T* out, std::size_t n, unsigned reads) {
  const std::size_t t = thread_in_grid();
  const T element = t < n ? in[t] : T{};
  const unsigned start = t < n ? starts[t] : 0;
  T sum{};
  // All lanes take part, those behind the end as well: the mask is whole, and so must every warp of the block be.
  for (unsigned s = 0; s < reads; ++s)
    sum += static_cast<T>(s % length + 1) * workbook::shuffle_from(~0u, element, (start + s) % length);
  if (t < n) out[t] = sum;
}

}  // namespace chapter10
