#pragma once
/// \file
/// A second right solution of chapter 10: every warp has a piece of shared memory of its own, 32 columns wide, and the
/// index runs on without a division.

#include <cstddef>

#include "device/launch.cuh"

namespace chapter10::exercise {

/// Elements of each thread's private array; also the lanes of a warp, and so the columns of its piece.
inline constexpr unsigned length = 32;

/// As the chapter has it.
template <typename T>
__global__ void gather(const T* in, const unsigned* starts, T* out, std::size_t n, unsigned reads) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const std::size_t t = std::size_t{blockIdx.x} * threads + tid;
  if (t >= n) return;

  // Lane l has column l of its warp's rows: no lane meets another, and so nobody waits.
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

/// A piece for each warp, the last one, too, where it is not whole.
template <typename T>
std::size_t shared_bytes(dim3 block) {
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  return workbook::ceil_div(threads, 32) * (length * 32 * sizeof(T));
}

}  // namespace chapter10::exercise
