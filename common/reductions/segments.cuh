#pragma once
/// \file
/// Reductions of every segment of an array, in one launch, for any lengths.

#include <concepts>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "reductions/long_pieces.cuh"
#include "reductions/operators.cuh"
#include "reductions/pieces.cuh"
#include "reductions/reduce_pieces.cuh"
#include "reductions/whole_pieces.cuh"

namespace workbook {

/// The type of an offset: an integer of 32 or 64 bits.
template <typename T>
concept segment_offset = std::integral<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

/// Returns how many bytes of workspace `reduce_segments` needs on the current device, for any segments.
template <typename Acc>
std::size_t reduce_segments_workspace_bytes() {
  return pieces_workspace_bytes<Acc>();
}

/// As `reduce_segments` below, for `segments` > 0, with the algorithm `way`, which `can_choose` must allow.
template <typename Acc, typename T, typename Offset, typename Out, typename Op>
void reduce_segments_in_way(segments_way way, const T* in, const Offset* offsets, Out* out, std::size_t segments,
                            std::size_t n, void* workspace, cudaStream_t stream, Op op) {
  using all_segments = offset_segments<Offset>;
  const all_segments pieces{offsets, segments, n};
  const auto launch = [&](auto* kernel, unsigned pieces_of_block, unsigned block_size) {
    kernel<<<static_cast<unsigned>(ceil_div(segments, pieces_of_block)), block_size, 0, stream>>>(in, pieces, out, op);
  };
  if (with_kernel_of_segments<Acc, T, all_segments, Out, Op>(way, launch)) return;
  if (way == segments_way::shared) return launch_pieces<Acc>(in, pieces, out, workspace, stream, op);
  const long_pieces_shape shape = shape_of_long_pieces(way == segments_way::blocks_and_shares ? 256 : 512, segments, n);
  const auto launch_long = [&](auto* kernel) {
    kernel<<<static_cast<unsigned>(segments + shape.shares), shape.block_size, 0, stream>>>(
        in, pieces, out, shape.longest, shape.share, shape.last_shares, static_cast<mailbox<Acc>*>(workspace), op);
  };
  with_kernel_of_long_pieces<Acc, T, all_segments, Out, Op>(shape.block_size, launch_long);
}

/// Reduces each segment of the `n` elements at `in` (device, aligned for T) with `op` into `out` (device, `segments`
/// results), with one launch on `stream`. Segment s has the elements from `offsets[s]` up to, but not including,
/// `offsets[s + 1]`. `offsets` (device) has `segments` + 1 values in non-decreasing order, from 0 to `n`; the elements
/// before the first offset and after the last belong to no segment. An empty segment gives the identity; without
/// segments nothing is launched. Work is divided by elements and segments, so lengths may be as uneven as they like.
/// Otherwise as `reduce_rows`.
///
/// Wrong offsets are not detected: results are wrong, elements outside the array are read, and the call may never end.
/// `find_wrong_offset` and `check_offsets` detect them.
template <typename Acc, typename T, segment_offset Offset, typename Out, reduction_operator<Acc> Op = plus>
void reduce_segments(const T* in, const Offset* offsets, Out* out, std::size_t segments, std::size_t n, void* workspace,
                     cudaStream_t stream = nullptr, Op op = {}) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<Acc>);
  if (segments == 0) return;
  reduce_segments_in_way<Acc>(way_of_segments<T>(segments, n), in, offsets, out, segments, n, workspace, stream, op);
}

/// Returns true if offset `i` is wrong: below 0, above `n`, or below the one before it.
template <segment_offset Offset>
__host__ __device__ bool is_wrong_offset(const Offset* offsets, std::size_t i, std::size_t n) {
  if constexpr (std::is_signed_v<Offset>)
    if (offsets[i] < 0) return true;
  return static_cast<std::size_t>(offsets[i]) > n || (i > 0 && offsets[i] < offsets[i - 1]);
}

template <typename Offset>
__global__ void __launch_bounds__(256)
    find_wrong_offset_in(const Offset* offsets, std::size_t count, std::size_t n, unsigned long long* wrong) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads)
    if (is_wrong_offset(offsets, i, n)) atomicMin(wrong, static_cast<unsigned long long>(i));
}

/// Checks the `segments` + 1 `offsets` (device) of segments of `n` elements. If one is wrong, stores the index of the
/// first one in `*wrong` (device), unless `*wrong` is already smaller: fill it with bytes of 0xff first. One launch on
/// `stream`; does not synchronise.
template <segment_offset Offset>
void find_wrong_offset(const Offset* offsets, std::size_t segments, std::size_t n, unsigned long long* wrong,
                       cudaStream_t stream = nullptr) {
  const std::size_t blocks = std::min(ceil_div(segments + 1, 256), std::size_t{8} * multiprocessor_count());
  find_wrong_offset_in<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(offsets, segments + 1, n, wrong);
}

/// \throws std::invalid_argument  if one of the `offsets` (host; a vector, an array or a span) is wrong for segments of
/// `n` elements, or if `offsets` is empty
template <typename Offsets>
void check_offsets(const Offsets& offsets, std::size_t n) {
  const std::span all(offsets);
  static_assert(segment_offset<std::remove_cv_t<typename decltype(all)::element_type>>);
  if (all.empty())
    throw std::invalid_argument("there are no offsets: give one more than there are segments, so at least one");
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_wrong_offset(all.data(), i, n)) continue;
    const std::string what = "offset " + std::to_string(i) + " is " + std::to_string(all[i]);
    if (i > 0 && all[i] < all[i - 1])
      throw std::invalid_argument(what + ", below the one before it, " + std::to_string(all[i - 1]) +
                                  ": a segment cannot end before it begins");
    throw std::invalid_argument(what + ", but there are " + std::to_string(n) + " elements: give 0 to " +
                                std::to_string(n));
  }
}

}  // namespace workbook
