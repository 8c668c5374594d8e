#pragma once
/// \file
/// Chapter 10: kernels that store a private array somewhere else, for comparison with yours. All but the last compute
/// the same as `gather` in private_arrays.cuh.

#include <cstddef>
#include <utility>

#include "reductions/shuffle.cuh"

namespace chapter10 {

inline constexpr unsigned length = 32;

/// Returns the number of the thread in its block, which may have any shape.
__device__ inline unsigned thread_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline std::size_t thread_in_grid() {
  return std::size_t{blockIdx.x} * (blockDim.x * blockDim.y * blockDim.z) + thread_in_block();
}

/// Makes one access: reads the element, adds it to the sum, and rewrites it.
template <typename T>
__device__ void access(T& element, unsigned s, T& sum) {
  const T weight = static_cast<T>(s % length + 1);
  sum += weight * element;
  element = weight - element;
}

/// All indices are constants, so the array's elements are 32 registers, and no array exists in memory.
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

/// The compiler unrolls the loop over the array, so all indices are constants again.
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

/// The index is known only at run time, but all threads have the same one. The layout of local memory is made for that.
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

/// Each thread has its own index, so a warp's access to local memory touches a sector for each different index.
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

/// The array stays in registers: each access compares the index with all possible ones and selects one element.
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

/// One array per warp instead of one per thread: lane k has element k in a register, and any lane can read it by a
/// shuffle. It is never changed: out[t] is the weighted sum of the elements in[(t rounded down to 32) + k] (0 beyond
/// the end), beginning with k = starts[t].
template <typename T>
__global__ void gather_from_warp(const T* in, const unsigned* starts, T* out, std::size_t n, unsigned reads) {
  const std::size_t t = thread_in_grid();
  const T element = t < n ? in[t] : T{};
  const unsigned start = t < n ? starts[t] : 0;
  T sum{};
  // All lanes take part, even those beyond the end, because the mask names them. So every warp must be complete.
  for (unsigned s = 0; s < reads; ++s)
    sum += static_cast<T>(s % length + 1) * workbook::shuffle_from(~0u, element, (start + s) % length);
  if (t < n) out[t] = sum;
}

}  // namespace chapter10
