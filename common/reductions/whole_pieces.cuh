#pragma once
/// \file
/// Reductions of many pieces of an array, none of which is shared: one thread, some lanes, or a block takes a whole
/// piece. Nothing is searched or exchanged, so the kernels are short. rows.cuh and segments.cuh launch them if they are
/// faster than equal shares (reduce_pieces.cuh).

#include <cstddef>

#include "reductions/block_reduce.cuh"
#include "reductions/choices.hpp"
#include "reductions/group_sum.cuh"
#include "reductions/launch.cuh"
#include "reductions/pieces.cuh"
#include "reductions/tuned.hpp"

namespace workbook {

inline constexpr unsigned lanes_block_size = 256;

/// The kind of load by which a thread reads its part of a piece: one element, or 16 bytes.
enum class loads { of_elements, of_vectors };

/// Stores the sum of every piece in `out` (device, one for each). `Lanes` neighbouring lanes take one piece: 1, 2, 4,
/// 8, 16 or 32 of them. No piece has 2^31 elements.
template <unsigned Lanes, loads Loads, typename Acc, typename T, typename Pieces, typename Out, typename Op>
__global__ void __launch_bounds__(lanes_block_size) reduce_by_lanes(const T* in, Pieces pieces, Out* out, Op op) {
  const std::size_t piece = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / Lanes;
  const unsigned lane = threadIdx.x % Lanes;
  const bool is_piece = piece < pieces.count();
  const std::size_t first = is_piece ? pieces.begin(piece) : 0;
  const auto n = is_piece ? static_cast<unsigned>(pieces.end(piece) - first) : 0;
  const T* const at = in + pieces.address(piece, first);
  Acc sum;
  if constexpr (Loads == loads::of_vectors)
    sum = lane_sum<Acc>(at, n, lane, Lanes, op);
  else
    sum = lane_sum_of_few<Acc>(at, n, lane, Lanes, op);
#pragma unroll
  for (unsigned offset = Lanes / 2; offset > 0; offset /= 2) sum = op(sum, shuffle_down(~0u, sum, offset));
  if (lane == 0 && is_piece) out[piece] = static_cast<Out>(sum);
}

/// As above, but a block of `BlockSize` threads takes one piece. If the piece is short, the first warp takes it alone.
///
/// Segments may all be equally long. So their elements are loaded while the offsets are still in flight, and are summed
/// before the offsets are compared: there is one memory latency instead of two.
template <unsigned BlockSize, unsigned Depth, typename Acc, typename T, typename Pieces, typename Out, typename Op>
__global__ void __launch_bounds__(BlockSize) reduce_by_blocks(const T* in, Pieces pieces, Out* out, Op op) {
  constexpr unsigned max_of_warp = Depth * warp_size * sizeof(uint4) / sizeof(T);  // one round of loads
  constexpr caching hint = caching::streaming;
  constexpr unsigned depth_if_equal = BlockSize > 128 ? 4 : Depth;
  const std::size_t piece = blockIdx.x;
  const unsigned tid = threadIdx.x;
  const auto lanes_for = [](std::size_t n) { return n <= max_of_warp ? warp_size : BlockSize; };
  const auto limits = pieces.ask(piece);
  const unsigned equal = pieces.equal_length();
  const T* const at_if_equal = in + pieces.address(piece, piece * equal);
  if (const unsigned vectors = vectors_of_round<depth_if_equal>(at_if_equal, equal, BlockSize); vectors > 0)
      [[likely]] {
    const Acc sum = block_reduce_of<BlockSize>(
        lane_sum_of_round<Acc, depth_if_equal, hint>(at_if_equal, vectors, tid, BlockSize, op), op);
    if (pieces.are_equal(piece, limits)) [[likely]] {
      if (tid == 0) out[piece] = static_cast<Out>(sum);
      return;
    }
    __syncthreads();  // the tile of block_reduce_of is free again
  }
  Acc sum = Op::template identity<Acc>();
  unsigned lanes = warp_size;
  if (!Pieces::may_be_equal || !has_sum_of_few(in, pieces, piece, limits, tid, sum, op)) {
    const extent where = pieces.where(piece, limits);
    const T* const at = in + pieces.address(piece, where.first);
    lanes = lanes_for(where.n);
    if (tid < lanes) sum = lane_sum<Acc, Depth, hint>(at, static_cast<unsigned>(where.n), tid, lanes, op);
  }
  // All threads of the block take the same branch. A single warp needs no barrier.
  if (lanes == warp_size)
    sum = warp_reduce(sum, op);
  else
    sum = block_reduce_of<BlockSize>(sum, op);
  if (tid == 0) out[piece] = static_cast<Out>(sum);
}

/// As above, for unknown lengths: a warp takes one piece, and then the whole block takes the long ones, one after the
/// other. Four blocks per multiprocessor: for a fifth one, the compiler would spill registers.
template <typename Acc, typename T, typename Pieces, typename Out, typename Op>
__global__ void __launch_bounds__(lanes_block_size, 4) reduce_by_warps(const T* in, Pieces pieces, Out* out, Op op) {
  constexpr unsigned depth = 8, warps = lanes_block_size / warp_size;
  constexpr unsigned most = depth * warp_size * sizeof(uint4) / sizeof(T);  // one round of loads
  __shared__ extent found[warps];
  const std::size_t block_first = std::size_t{blockIdx.x} * warps;
  const unsigned tid = threadIdx.x, lane = tid % warp_size, warp = tid / warp_size;
  const std::size_t piece = block_first + warp;
  extent long_one{0, 0};
  if (piece < pieces.count()) {
    const auto limits = pieces.ask(piece);
    const unsigned equal = pieces.equal_length();
    const T* const at_if_equal = in + pieces.address(piece, piece * equal);
    Acc sum = Op::template identity<Acc>();
    bool is_summed = false;
    if (const unsigned vectors = vectors_of_round<2>(at_if_equal, equal, warp_size); vectors > 0) [[likely]] {
      sum = warp_reduce(lane_sum_of_round<Acc, 2, caching::usual>(at_if_equal, vectors, lane, warp_size, op), op);
      is_summed = pieces.are_equal(piece, limits);
    } else if (Pieces::may_be_equal && has_sum_of_few(in, pieces, piece, limits, lane, sum, op)) {
      sum = warp_reduce(sum, op);
      is_summed = true;
    }
    if (!is_summed) [[unlikely]] {
      const extent where = pieces.where(piece, limits);
      const T* const at = in + pieces.address(piece, where.first);
      if (where.n <= most)
        sum = warp_reduce(lane_sum<Acc, depth>(at, static_cast<unsigned>(where.n), lane, warp_size, op), op);
      else
        long_one = where;
    }
    if (lane == 0 && long_one.n == 0) out[piece] = static_cast<Out>(sum);
  }
  if (lane == 0) found[warp] = long_one;
  // Every warp's result is stored before others read it, and all threads know whether there is a long piece.
  if (__syncthreads_or(long_one.n > 0) == 0) return;
  for (unsigned w = 0; w < warps; ++w) {
    const extent where = found[w];
    if (where.n == 0) continue;
    const T* const at = in + pieces.address(block_first + w, where.first);
    const Acc sum = block_reduce_of<lanes_block_size>(
        lane_sum<Acc, depth>(at, static_cast<unsigned>(where.n), tid, lanes_block_size, op), op);
    if (tid == 0) out[block_first + w] = static_cast<Out>(sum);
    __syncthreads();  // the tile of block_reduce_of is free again
  }
}

/// Returns the algorithm for `rows` rows of `columns` elements of T on the current device.
template <typename T>
rows_way way_of_rows(std::size_t rows, std::size_t columns) {
  constexpr std::size_t most = (std::size_t{1} << 31) - 1;
  if (rows > most || columns > most) return rows_way::shared;
  const std::size_t scaled = rows * tuned_multiprocessors / multiprocessor_count();
  return static_cast<rows_way>(letter_at(tuned_rows, columns * sizeof(T), scaled));
}

/// Calls `f(kernel, pieces_of_block, block_size)` for the kernel of this algorithm, for rows with gaps or without, and
/// returns true. Returns false without a call if rows are shared.
template <typename Acc, typename T, typename Rows, typename Out, typename Op, typename F>
bool with_kernel_of_rows(rows_way way, F f) {
  const auto by_lanes = [&](auto* kernel, unsigned lanes) { f(kernel, lanes_block_size / lanes, lanes_block_size); };
  switch (way) {
    case rows_way::thread:
      by_lanes(reduce_by_lanes<1, loads::of_elements, Acc, T, Rows, Out, Op>, 1);
      return true;
    case rows_way::eight_lanes:
      by_lanes(reduce_by_lanes<8, loads::of_elements, Acc, T, Rows, Out, Op>, 8);
      return true;
    case rows_way::eight_vectors:
      by_lanes(reduce_by_lanes<8, loads::of_vectors, Acc, T, Rows, Out, Op>, 8);
      return true;
    case rows_way::warp:
      by_lanes(reduce_by_lanes<32, loads::of_vectors, Acc, T, Rows, Out, Op>, 32);
      return true;
    case rows_way::block:
      f(reduce_by_blocks<256, 4, Acc, T, Rows, Out, Op>, 1u, 256u);
      return true;
    case rows_way::block_of_512:
      f(reduce_by_blocks<512, 8, Acc, T, Rows, Out, Op>, 1u, 512u);
      return true;
    case rows_way::block_of_1024:
      f(reduce_by_blocks<1024, 8, Acc, T, Rows, Out, Op>, 1u, 1024u);
      return true;
    case rows_way::shared:
      break;
  }
  return false;
}

/// The most bytes in all segments if whole blocks or warps take them: nearly all may be in one segment.
inline constexpr std::size_t max_unshared_bytes = std::size_t{4} << 20;

/// Returns true if this algorithm may take `segments` segments of `n` elements in all, whose lengths are unknown.
template <typename T>
constexpr bool can_choose(segments_way way, std::size_t segments, std::size_t n) {
  switch (way) {
    case segments_way::warps:
    case segments_way::small_blocks:
    case segments_way::blocks:
    case segments_way::large_blocks:
      return n * sizeof(T) <= max_unshared_bytes;
    case segments_way::blocks_and_shares:
    case segments_way::large_blocks_and_shares:
      return segments <= std::size_t{1} << 30;
    case segments_way::shared:
      break;
  }
  return true;
}

/// Returns the algorithm for `segments` > 0 segments of `n` elements of T in all on the current device.
template <typename T>
segments_way way_of_segments(std::size_t segments, std::size_t n) {
  const std::size_t scaled = segments * tuned_multiprocessors / multiprocessor_count();
  const auto way = static_cast<segments_way>(letter_at(tuned_segments, n * sizeof(T) / segments, scaled));
  return can_choose<T>(way, segments, n) ? way : segments_way::shared;
}

/// As `with_kernel_of_rows`, for segments. Returns false without a call if all segments, or the long ones, are shared.
template <typename Acc, typename T, typename Segments, typename Out, typename Op, typename F>
bool with_kernel_of_segments(segments_way way, F f) {
  switch (way) {
    case segments_way::warps:
      f(reduce_by_warps<Acc, T, Segments, Out, Op>, lanes_block_size / warp_size, lanes_block_size);
      return true;
    case segments_way::small_blocks:
      f(reduce_by_blocks<128, 8, Acc, T, Segments, Out, Op>, 1u, 128u);
      return true;
    case segments_way::blocks:
      f(reduce_by_blocks<256, 4, Acc, T, Segments, Out, Op>, 1u, 256u);
      return true;
    case segments_way::large_blocks:
      f(reduce_by_blocks<1024, 8, Acc, T, Segments, Out, Op>, 1u, 1024u);
      return true;
    default:
      return false;
  }
}

}  // namespace workbook
