#pragma once
/// \file
/// Chapter 15: kernels with the same number of threads for every segment, however long it is. They compute the same as
/// `largest_of_segments` in largest_of_segments.cuh.

#include "reductions/block_reduce.cuh"
#include "reductions/operators.cuh"

namespace chapter15 {

/// Returns the largest of every `step`th element of a segment, beginning with element `first` of the segment.
template <typename T>
__device__ workbook::indexed<T> largest_of(const T* in, const unsigned* offsets, unsigned segment, unsigned first,
                                           unsigned step) {
  auto found = workbook::arg_max::identity<workbook::indexed<T>>();
  const unsigned end = offsets[segment + 1];
  for (unsigned i = offsets[segment] + first; i < end; i += step) found = workbook::arg_max{}(found, {in[i], i});
  return found;
}

template <typename T>
__global__ void thread_each(const T* in, const unsigned* offsets, workbook::indexed<T>* out, unsigned segments) {
  const unsigned segment = blockIdx.x * blockDim.x + threadIdx.x;
  if (segment < segments) out[segment] = largest_of(in, offsets, segment, 0, 1);
}

template <typename T>
__global__ void warp_each(const T* in, const unsigned* offsets, workbook::indexed<T>* out, unsigned segments) {
  constexpr unsigned lanes = workbook::warp_size;
  const unsigned segment = blockIdx.x * (blockDim.x / lanes) + threadIdx.x / lanes;
  if (segment >= segments) return;
  const unsigned lane = threadIdx.x % lanes;
  const auto found = workbook::warp_reduce(largest_of(in, offsets, segment, lane, lanes), workbook::arg_max{});
  if (lane == 0) out[segment] = found;
}

template <typename T>
__global__ void block_each(const T* in, const unsigned* offsets, workbook::indexed<T>* out, unsigned) {
  const unsigned segment = blockIdx.x;
  const auto found =
      workbook::block_reduce(largest_of(in, offsets, segment, threadIdx.x, blockDim.x), workbook::arg_max{});
  if (threadIdx.x == 0) out[segment] = found;
}

}  // namespace chapter15
