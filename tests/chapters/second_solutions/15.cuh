#pragma once
/// \file
/// A different right solution of chapter 15, without a list. In each iteration the block elects one very long segment,
/// until none is left. Half warps search the other segments.

#include "reductions/block_reduce.cuh"
#include "reductions/operators.cuh"

namespace chapter15::exercise {

template <typename T>
__device__ workbook::indexed<T> better(workbook::indexed<T> found, const T* in, unsigned i) {
  return workbook::arg_max{}(found, {in[i], i});
}

template <typename T>
__global__ void largest_of_segments(const T* in, const unsigned* offsets, workbook::indexed<T>* out,
                                    unsigned segments) {
  constexpr unsigned nobody = ~0u;
  const auto none = workbook::arg_max::identity<workbook::indexed<T>>();
  const unsigned s = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned first = s < segments ? offsets[s] : 0;
  const unsigned length = s < segments ? offsets[s + 1] - first : 0;
  const unsigned half = threadIdx.x % 32 / 16, seat = threadIdx.x % 16;

  // Each half warp searches its 16 segments one by one. An iteration without work costs only the shuffles.
  for (unsigned k = 0; k < 16; ++k) {
    const unsigned n = __shfl_sync(~0u, length, 16 * half + k), at = __shfl_sync(~0u, first, 16 * half + k);
    auto found = none;
    if (n > 12 && n <= 400)
      for (unsigned i = seat; i < n; i += 16) found = better(found, in, at + i);
    for (unsigned distance = 8; distance > 0; distance /= 2)
      found = workbook::arg_max{}(found, workbook::shuffle_down(~0u, found, distance));
    if (seat == 0 && n > 12 && n <= 400) out[s - threadIdx.x % 32 + 16 * half + k] = found;
  }
  if (s < segments && length <= 12) {
    auto found = none;
    for (unsigned i = 0; i < length; ++i) found = better(found, in, first + i);
    out[s] = found;
  }

  __shared__ unsigned elected;
  bool waits = length > 400;
  while (__syncthreads_or(waits) != 0) {
    if (threadIdx.x == 0) elected = nobody;
    __syncthreads();
    if (waits) atomicMin(&elected, s);
    __syncthreads();
    const unsigned now = elected;
    auto found = none;
    for (unsigned i = offsets[now] + threadIdx.x; i < offsets[now + 1]; i += blockDim.x) found = better(found, in, i);
    found = workbook::block_reduce(found, workbook::arg_max{});
    if (threadIdx.x == 0) out[now] = found;
    waits = waits && s != now;
  }
}

}  // namespace chapter15::exercise
