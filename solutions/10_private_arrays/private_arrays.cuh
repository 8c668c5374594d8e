#pragma once
/// \file
/// Chapter 10: private arrays in shared memory, so that each thread uses its own bank, whatever the index.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter10::solution {

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

  // exercise: begin
  // Row k has element k of each thread. Its width is a multiple of 32, so thread tid always uses bank tid % 32.
  T* tile = workbook::dynamic_shared<T>();
  const unsigned width = whole_warps(blockDim);
  const auto own = [&](unsigned k) -> T& { return tile[k * width + tid]; };
  // exercise: instead
  // T array[length];
  // const auto own = [&](unsigned k) -> T& { return array[k]; };
  // exercise: end

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
  // exercise: begin
  return std::size_t{length} * whole_warps(block) * sizeof(T);
  // exercise: instead
  // return 0;
  // exercise: end
}

}  // namespace chapter10::solution
