#pragma once
/// \file
/// A second right solution of chapter 10: every warp has its own piece of shared memory, 32 columns wide, and the index
/// wraps around without a division.

#include <cstddef>

#include "reductions/launch.cuh"

namespace chapter10::exercise {

/// Elements of each thread's private array. It is also the number of lanes, and so of columns of a warp's piece.
inline constexpr unsigned length = 32;

/// Declared as in the chapter.
template <typename T>
__global__ void gather(const T* in, const unsigned* starts, T* out, std::size_t n, unsigned reads) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const std::size_t t = std::size_t{blockIdx.x} * threads + tid;
  if (t >= n) return;

  // Lane l uses column l of its warp's rows, so there are no bank conflicts.
  T* column = workbook::dynamic_shared<T>() + tid / 32 * (length * 32) + tid % 32;
  for (unsigned k = 0; k < length; ++k) column[k * 32] = in[k * n + t];

  unsigned at = starts[t];
  unsigned weight = 0;
  T sum{};
  for (unsigned s = 0; s < reads; ++s) {
    weight = weight == length ? 1 : weight + 1;
    const T old = column[at * 32];
    sum += static_cast<T>(weight) * old;
    column[at * 32] = static_cast<T>(weight) - old;
    at = at + 1 == length ? 0 : at + 1;
  }
  out[t] = sum;
}

/// Returns the size of one piece for each warp, even if the last warp isn't complete.
template <typename T>
std::size_t shared_bytes(dim3 block) {
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  return workbook::ceil_div(threads, 32) * (length * 32 * sizeof(T));
}

}  // namespace chapter10::exercise
