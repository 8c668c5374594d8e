#pragma once
/// \file
/// Chapter 15, your kernel: let a warp look through a longer segment together, and the block through a very long one.

#include "reductions/block_reduce.cuh"
#include "reductions/operators.cuh"

namespace chapter15::exercise {

/// Returns the largest of the elements `first`, `first + step` and so on of `in`, before `last`, with its index.
template <typename T>
__device__ workbook::indexed<T> largest_of(const T* in, unsigned first, unsigned last, unsigned step) {
  auto found = workbook::arg_max::identity<workbook::indexed<T>>();
  for (unsigned i = first; i < last; i += step) found = workbook::arg_max{}(found, {in[i], i});
  return found;
}

/// Segment s of `segments` has the elements of `in` from offsets[s] up to, but not including,
/// offsets[s + 1]. Writes its largest element with that element's index to out[s]: the first
/// one if several are equal, and the identity of `arg_max` if the segment is empty. A block
/// handles blockDim.x neighbouring segments, and blockDim.x is a multiple of 32.
template <typename T>
__global__ void largest_of_segments(const T* in, const unsigned* offsets, workbook::indexed<T>* out,
                                    unsigned segments) {
  const unsigned tid = threadIdx.x;
  const unsigned segment = blockIdx.x * blockDim.x + tid;
  const bool is_segment = segment < segments;
  const unsigned begin = is_segment ? offsets[segment] : 0, end = is_segment ? offsets[segment + 1] : 0;

  // TODO(chapter 15): let a warp look through a longer segment together, and the block through a very long one.
  if (is_segment) out[segment] = largest_of(in, begin, end, 1);
}

}  // namespace chapter15::exercise
