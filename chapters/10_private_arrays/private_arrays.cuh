#pragma once
/// \file
/// Chapter 10, your kernel: keep every private array in shared memory, in a bank of its own.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter10::exercise {

/// Elements of each thread's private array.
inline constexpr unsigned length = 32;

/// The number of threads of the block, rounded up to a multiple of the warp size.
__host__ __device__ inline unsigned whole_warps(dim3 block) {
  return (block.x * block.y * block.z + 31) / 32 * 32;
}

/// Each of `n` threads fills its own array from `in` (n * length elements, element k of thread t at k * n + t), reads
/// and rewrites `reads` of its elements, beginning with element starts[t], and writes a weighted sum to out[t].
template <typename T>
__global__ void gather(const T* in, const unsigned* starts, T* out, std::size_t n, unsigned reads) {
  const unsigned tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const std::size_t t = std::size_t{blockIdx.x} * (blockDim.x * blockDim.y * blockDim.z) + tid;
  if (t >= n) return;

  // TODO(chapter 10): keep every private array in shared memory, in a bank of its own.
  T array[length];
  const auto own = [&](unsigned k) -> T& { return array[k]; };

  for (unsigned k = 0; k < length; ++k) own(k) = in[k * n + t];
  const unsigned start = starts[t];
  T sum{};
  for (unsigned s = 0; s < reads; ++s) {
    T& element = own((start + s) % length);
    const T weight = static_cast<T>(s % length + 1);
    sum += weight * element;
    element = weight - element;
  }
  out[t] = sum;
}

/// Returns the bytes of dynamic shared memory that a block needs.
template <typename T>
std::size_t shared_bytes([[maybe_unused]] dim3 block) {
  // TODO(chapter 10): this is also part of the task.
  return 0;
}

}  // namespace chapter10::exercise
