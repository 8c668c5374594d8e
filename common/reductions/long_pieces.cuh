#pragma once
/// \file
/// Reductions of many pieces of an array, most of them long: a block takes a whole piece, and pieces that are too long
/// for one block are shared. segments.cuh launches these kernels.

#include <algorithm>
#include <cstddef>

#include "reductions/block_reduce.cuh"
#include "reductions/group_sum.cuh"
#include "reductions/launch.cuh"
#include "reductions/mailbox.cuh"
#include "reductions/pieces.cuh"

namespace workbook {

/// The part of a piece that a block adds up. If the block has no part, `piece` is the number of pieces.
struct part_of_piece {
  std::size_t piece, first, last;
};

/// Stores the sum of every piece in `out` (device, one for each). There is one block per piece, which takes it if it
/// has at most `longest` elements. The other blocks start before those, or after them if `last_shares`. They cut the
/// walk through all pieces into shares of `share` items, at most `longest`, and take the parts of longer pieces. Each
/// block adds up the piece that continues after its share and sends the sum by its mailbox in `boxes` (one per share).
/// Then it takes the piece that ends in its share, and receives the parts from the shares before. So a block waits only
/// for blocks with smaller numbers, which start first. The shares determine the order of all operations. No piece of at
/// most `longest` elements has 2^32 elements, and no share has.
template <unsigned Depth, typename Acc, typename T, typename Pieces, typename Out, typename Op>
__global__ void __launch_bounds__(512)
    reduce_long_pieces(const T* in, Pieces pieces, Out* out, std::size_t longest, std::size_t share, bool last_shares,
                       mailbox<Acc>* boxes, Op op) {
  const unsigned tid = threadIdx.x;
  const std::size_t count = pieces.count();
  const auto shares = static_cast<unsigned>(gridDim.x - count);
  const unsigned first_share = last_shares ? static_cast<unsigned>(count) : 0;
  // Streaming, because in an array larger than the cache, elements just read would evict others that are read again.
  const auto sum_of = [&](const part_of_piece& part) {
    return lane_sum<Acc, Depth, caching::streaming>(in + pieces.address(part.piece, part.first),
                                                    static_cast<unsigned>(part.last - part.first), tid, blockDim.x, op);
  };
  if (blockIdx.x - first_share >= shares) {  // if the block is before the first share, the difference wraps
    const unsigned piece = last_shares ? blockIdx.x : blockIdx.x - shares;
    const part_of_piece whole{piece, pieces.begin(piece), pieces.end(piece)};
    if (whole.last - whole.first > longest) return;  // all threads of the block take the same branch
    const Acc sum = block_reduce(sum_of(whole), op);
    if (tid == 0) out[whole.piece] = static_cast<Out>(sum);
    return;
  }

  const std::size_t number = blockIdx.x - first_share, share_first = number * share;
  __shared__ part_of_piece parts[2];  // of the piece that continues after the share, and of the one that ends in it
  if (tid < warp_size) {
    const std::size_t share_end = min(share_first + share, pieces.items());
    const share_of_warp mine = pieces.share(share_first, share_end);
    const bool goes_on = tid == 0;
    const std::size_t piece = goes_on ? mine.to.piece : mine.from.piece;
    part_of_piece part{count, 0, 0};
    if (piece < count && (goes_on || piece < mine.to.piece)) {
      const std::size_t begin = pieces.begin(piece), end = pieces.end(piece);
      // If a share has only elements before the first piece, there is no part: that piece begins in a later share.
      if (end - begin > longest && begin + piece < share_end)
        part = {piece, max(begin, mine.from.element), goes_on ? mine.to.element : end};
    }
    if (tid < 2) parts[tid] = part;
  }
  __syncthreads();  // both parts are stored before all threads read them
#pragma unroll 1
  for (unsigned k = 0; k < 2; ++k) {
    const part_of_piece part = parts[k];
    if (part.piece == count) continue;
    Acc sum = sum_of(part);
    const std::size_t began = pieces.begin(part.piece) + part.piece;  // the item that is the piece's first element
    if (k == 1)
      for (std::size_t sender = began / share + tid; sender < number; sender += blockDim.x)
        sum = op(sum, receive(boxes[sender]));
    sum = block_reduce(sum, op);
    if (tid == 0 && k == 0) send(boxes[number], sum);
    if (tid == 0 && k == 1) out[part.piece] = static_cast<Out>(sum);
    __syncthreads();  // the tile of block_reduce is free again
  }
}

/// Launch shape of the kernel for long pieces.
struct long_pieces_shape {
  unsigned block_size;
  std::size_t longest;  ///< The most elements of a piece that one block takes.
  std::size_t share;    ///< In items.
  std::size_t shares;
  bool last_shares;  ///< True if the blocks for shares start after the blocks for whole pieces.
};

/// Returns the launch shape for `count` > 0 pieces of `n` elements in all on the current device, in blocks of 256 or
/// 512 threads. A workspace of `pieces_workspace_bytes` has a mailbox for each share.
inline long_pieces_shape shape_of_long_pieces(unsigned block_size, std::size_t count, std::size_t n) {
  const std::size_t multiprocessors = multiprocessor_count();
  const std::size_t share = std::max(std::size_t{1}, ceil_div(n + count, 1024 / block_size * multiprocessors));
  // Pieces of about the average length aren't cut, but no uncut piece is most of a multiprocessor's work.
  const std::size_t longest = std::max(share, std::min(2 * (n / count), n / multiprocessors / 4 * 3));
  const std::size_t shares = ceil_div(n + count, share);
  // With many pieces, the last blocks should have a piece to read whether or not there are long pieces. With few, all
  // blocks should start at once, and not wait for blocks that look for long pieces.
  return {block_size, longest, share, shares, count < shares};
}

/// Calls `f` with the kernel for blocks of `block_size` threads.
template <typename Acc, typename T, typename Pieces, typename Out, typename Op, typename F>
void with_kernel_of_long_pieces(unsigned block_size, F f) {
  if (block_size == 256)
    f(reduce_long_pieces<4, Acc, T, Pieces, Out, Op>);
  else
    f(reduce_long_pieces<8, Acc, T, Pieces, Out, Op>);
}

}  // namespace workbook
