#pragma once
/// \file
/// Chapter 15: finds the largest element of every segment, by a thread, a warp or a block, depending on its length.

#include "reductions/block_reduce.cuh"
#include "reductions/operators.cuh"

namespace chapter15::solution {

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

  // exercise: begin
  const workbook::arg_max op;
  constexpr unsigned max_of_thread = 16, max_of_warp = 1024;
  const unsigned length = end - begin;

  // A short segment is searched by its thread alone.
  if (is_segment && length <= max_of_thread) out[segment] = largest_of(in, begin, end, 1);

  // For longer segments, a vote tells the warp which lanes have one. It searches these segments one after another.
  const unsigned lane = tid % workbook::warp_size;
  unsigned left = __ballot_sync(~0u, length > max_of_thread && length <= max_of_warp);
  for (; left != 0; left &= left - 1) {
    const unsigned owner = __ffs(left) - 1;
    const unsigned first = __shfl_sync(~0u, begin, owner), last = __shfl_sync(~0u, end, owner);
    const auto found = workbook::warp_reduce(largest_of(in, first + lane, last, workbook::warp_size), op);
    if (lane == 0) out[segment + owner] = found;
  }

  // Very long segments are searched by the block, which stores a list of them.
  __shared__ unsigned listed, list[1024];
  if (tid == 0) listed = 0;
  __syncthreads();
  if (length > max_of_warp) list[atomicAdd(&listed, 1)] = segment;
  __syncthreads();
  for (unsigned k = 0; k < listed; ++k) {
    const unsigned s = list[k];
    const auto found = workbook::block_reduce(largest_of(in, offsets[s] + tid, offsets[s + 1], blockDim.x), op);
    if (tid == 0) out[s] = found;
    __syncthreads();  // the tile of block_reduce is free again
  }
  // exercise: instead
  // if (is_segment) out[segment] = largest_of(in, begin, end, 1);
  // exercise: end
}

}  // namespace chapter15::solution
