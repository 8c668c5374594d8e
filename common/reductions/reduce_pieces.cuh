#pragma once
/// \file
/// Reductions of many pieces of an array, each by itself, in one launch: for rows.cuh and segments.cuh.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reductions/block_reduce.cuh"
#include "reductions/group_sum.cuh"
#include "reductions/launch.cuh"
#include "reductions/mailbox.cuh"
#include "reductions/operators.cuh"
#include "reductions/pieces.cuh"
#include "reductions/vector.cuh"

namespace workbook {

inline constexpr unsigned piece_block_size = 256;
inline constexpr unsigned piece_warps = piece_block_size / warp_size;
/// Every supported multiprocessor has room for at least 1024 threads, so it runs this many blocks of a grid at once.
inline constexpr unsigned max_piece_blocks = 1024 / piece_block_size;
/// Blocks per multiprocessor. Fewer if elements are narrower than a register, and several are loaded at once, or if
/// they are wide: these need more than the 64 registers that a thread has with the largest number of blocks.
template <typename T, typename Acc>
inline constexpr unsigned piece_blocks = max_piece_blocks - (sizeof(T) == 4 && sizeof(Acc) == 4 ? 0
                                                             : sizeof(T) < 4 && sizeof(Acc) > 4 ? 2
                                                                                                : 1);

/// One lane alone sums a staged piece of up to this length, while the other lanes wait for it.
inline constexpr unsigned longest_staged = 40;
/// A group of 8 lanes sums a piece of up to this length, in two rounds of four 16-byte loads per lane.
template <typename T>
inline constexpr unsigned longest_of_group = 8 * 8 * sizeof(uint4) / sizeof(T);

/// The results of a warp's share, apart from the pieces that begin and end in it. Valid in lane 0.
template <typename Acc>
struct warp_share {
  Acc head;  ///< The share's part of the first piece that ends in it.
  Acc tail;  ///< The elements after the last end in the share, or all elements if there is no end in it.
};

/// Copies the `n` elements at `in` (device, aligned for T) to `tile` (shared, aligned to 16 bytes), with 16-byte loads
/// if possible, and returns the index of the first one in the tile. All lanes call it.
template <typename T>
__device__ unsigned stage(const T* in, unsigned n, T* tile) {
  constexpr unsigned N = sizeof(uint4) % sizeof(T) == 0 ? elements_per_load<T> : 1;
  constexpr unsigned depth = 4;  // loads in flight
  const unsigned lane = threadIdx.x % warp_size;
  const bool aligned = reinterpret_cast<std::uintptr_t>(in) % sizeof(T) == 0;
  const unsigned head = N > 1 && aligned ? static_cast<unsigned>(elements_before_vectors(in, n)) : n;
  const unsigned vectors = (n - head) / N;
  // A vector has the same alignment in the tile as in the input.
  const unsigned first = (N - head % N) % N;
  // One element outside the vectors is in flight together with them.
  const unsigned rest = n - vectors * N;
  const auto other = [&](unsigned j) { return j < head ? j : j + vectors * N; };
  vector<1, T> early{};
  if (lane < rest) early.elements[0] = in[other(lane)];
  if constexpr (N > 1) {
    // Elements narrower than a register would each take a register, so they are copied as words.
    using moved = std::conditional_t<sizeof(T) < sizeof(unsigned), vector<1, uint4>, vector<N, T>>;
    using part = std::remove_reference_t<decltype(moved{}.elements[0])>;
    constexpr unsigned parts = sizeof(moved) / sizeof(part);
    // Legal: both addresses are those of vectors.
    const auto* const from = reinterpret_cast<const part*>(in + head);
    auto* const to = reinterpret_cast<part*>(tile + first + head);
    for (unsigned i = lane; i < vectors; i += depth * warp_size) {
      moved v[depth];
#pragma unroll
      for (unsigned d = 0; d < depth; ++d)
        if (i + d * warp_size < vectors) v[d] = load<parts>(from + (i + d * warp_size) * parts);
#pragma unroll
      for (unsigned d = 0; d < depth; ++d)
        if (i + d * warp_size < vectors) store(to + (i + d * warp_size) * parts, v[d]);
    }
  }
  if (lane < rest) tile[first + other(lane)] = early.elements[0];
#pragma unroll 1
  for (unsigned j = lane + warp_size; j < rest; j += warp_size) tile[first + other(j)] = in[other(j)];
  return first;
}

/// Sums 32 * Ends short pieces through shared memory, so that neighbouring lanes load neighbouring elements, no matter
/// which lane sums them. `begin` to `end` is each lane's piece of the `total` elements at `in`; `tile` has room for
/// these and for 16 bytes more.
template <unsigned Ends, typename T, typename Acc, typename Op>
__device__ void sum_staged(const T* in, unsigned total, const unsigned* begin, const unsigned* end, T* tile, Acc* sums,
                           Op op) {
  const unsigned lane = threadIdx.x % warp_size;
  __syncwarp();  // all lanes have read the previous pieces from the tile
  tile += stage(in, total, tile);
  __syncwarp();  // every element is in the tile before a lane reads its piece
#pragma unroll
  for (unsigned k = 0; k < Ends; ++k) {
    sums[k] = Op::template identity<Acc>();
    const unsigned length = end[k] - begin[k];
    // Pieces of even length begin in few banks, so each lane starts at a different element of its piece.
    unsigned i = length % 2 != 0 || length == 0 ? 0 : lane & ((1u << (31 - __clz(static_cast<int>(length)))) - 1);
#pragma unroll 1
    for (unsigned j = 0; j < length; ++j) {
      sums[k] = op(sums[k], static_cast<Acc>(tile[begin[k] + i]));
      i = i + 1 < length ? i + 1 : 0;
    }
  }
}

/// Sums one piece for each lane: `length` elements of piece `first` + lane, starting at `begin`. Groups of 8 lanes sum
/// four short pieces at a time; all lanes together sum the longer ones, one after the other.
template <typename Acc, typename T, typename Pieces, typename Op>
__device__ Acc sum_in_groups(const T* in, const Pieces& pieces, std::size_t first, std::size_t begin,
                             std::size_t length, Op op) {
  const unsigned lane = threadIdx.x % warp_size;
  Acc sum = Op::template identity<Acc>();
  unsigned short_ones = __ballot_sync(~0u, length != 0 && length <= longest_of_group<T>);
  unsigned long_ones = __ballot_sync(~0u, length > longest_of_group<T>);
  while ((short_ones | long_ones) != 0) {
    const bool now_short = short_ones != 0;
    const unsigned lanes = now_short ? 8 : warp_size;
    const unsigned all = now_short ? short_ones : long_ones;
    // Group k takes the piece of the k-th set bit.
    unsigned behind = all;
    for (unsigned k = lane / lanes; k > 0; --k) behind &= behind - 1;
    const unsigned mine = behind != 0 ? static_cast<unsigned>(__ffs(static_cast<int>(behind))) - 1 : 0;
    const std::size_t b = shuffle_from(~0u, begin, mine), n = shuffle_from(~0u, length, mine);
    Acc part = lane_sum<Acc>(in + pieces.address(first + mine, b), behind != 0 ? n : 0, lane % lanes, lanes, op);
    for (unsigned offset = lanes / 2; offset > 0; offset /= 2) part = op(part, shuffle_down(~0u, part, offset));
    const auto before = static_cast<unsigned>(__popc(all & ((1u << lane) - 1)));
    const Acc given = shuffle_from(~0u, part, before * lanes);
    if ((all >> lane & 1) != 0 && before < warp_size / lanes) sum = given;
    unsigned left = all;
    for (unsigned k = 0; k < warp_size / lanes; ++k) left &= left - 1;
    if (now_short)
      short_ones = left;
    else
      long_ones = left;
  }
  return sum;
}

/// Walks through a warp's share, and stores the sum of every piece that ends there in `out` (device), except the first.
/// `tile` (shared) has room for `room` elements and 16 bytes.
template <typename Acc, typename T, typename Pieces, typename Out, typename Op>
__device__ warp_share<Acc> walk(const T* in, const Pieces& pieces, const share_of_warp& share, T* tile, unsigned room,
                                Out* out, Op op) {
  // Pieces per lane, so that the elements of several warps full of short pieces are in flight together.
  constexpr unsigned ends = sizeof(Acc) <= 4 ? 4 : sizeof(Acc) <= 8 ? 2 : 1;
  const unsigned lane = threadIdx.x % warp_size;
  warp_share<Acc> found{Op::template identity<Acc>(), Op::template identity<Acc>()};
  std::size_t piece = share.from.piece;
  if (piece >= pieces.count()) return found;
  // The share may begin within the first piece, or before it.
  std::size_t at = max(share.from.element, pieces.begin(piece));
  // The elements after the last end are treated as a piece, too.
  const std::size_t last_piece = share.to.piece;
  const std::size_t pieces_here = last_piece + (last_piece < pieces.count() ? 1 : 0);
  const auto end_of = [&](std::size_t p) { return p < last_piece ? pieces.end(p) : max(at, share.to.element); };
  while (piece < pieces_here) {
    const auto members = static_cast<unsigned>(min(std::size_t{ends * warp_size}, pieces_here - piece));
    // Relative to the first element. Lanes beyond the members have no piece. Only short pieces need exact ends.
    unsigned end[ends], begin[ends];
#pragma unroll
    for (unsigned k = 0; k < ends; ++k) {
      const std::size_t past = end_of(piece + min(k * warp_size + lane, members - 1)) - at;
      end[k] = static_cast<unsigned>(min(past, std::size_t{1} << 31));
    }
    bool all_short[2] = {true, true};
    unsigned last = 0, last_of_first = 0;
#pragma unroll
    for (unsigned k = 0; k < ends; ++k) {
      begin[k] = __shfl_up_sync(~0u, end[k], 1);
      if (lane == 0) begin[k] = last;
      last = __shfl_sync(~0u, end[k], warp_size - 1);
      if (k == 0) last_of_first = last;
      const bool fits = last <= room && end[k] - begin[k] <= longest_staged;
      if (k == 0) all_short[0] = all_short[0] && fits;
      all_short[1] = all_short[1] && fits;
    }
    Acc sums[ends];
    unsigned taken = min(members, warp_size);
    const bool stage_all = Pieces::neighbours && __all_sync(~0u, all_short[1]);
    if (stage_all || (Pieces::neighbours && __all_sync(~0u, all_short[0]))) {
      if (stage_all) {
        taken = members;
      } else {
        last = last_of_first;
        for (unsigned k = 1; k < ends; ++k) begin[k] = end[k] = last;
      }
      sum_staged<ends>(in + at, last, begin, end, tile, sums, op);
      at += last;
    } else {
      const std::size_t mine = end_of(piece + min(lane, taken - 1));
      std::size_t from = shuffle_up(~0u, mine, 1);
      if (lane == 0) from = at;
      sums[0] = sum_in_groups<Acc>(in, pieces, piece, from, mine - from, op);
      at = shuffle_from(~0u, mine, warp_size - 1);
    }
    // Lane 0 has the first piece; the last one is in the lane with its number.
    if (piece == share.from.piece) found.head = sums[0];
#pragma unroll
    for (unsigned k = 0; k < ends; ++k) {
      const unsigned j = k * warp_size + lane;
      if (j >= taken || (k > 0 && taken <= warp_size)) continue;
      if (piece + j == last_piece)
        found.tail = sums[k];
      else if (piece + j != share.from.piece)
        out[piece + j] = static_cast<Out>(sums[k]);
    }
    piece += taken;
  }
  if (pieces_here > last_piece) found.tail = shuffle_from(~0u, found.tail, (last_piece - share.from.piece) % warp_size);
  return found;
}

/// Returns the bytes of a warp's tile: room for `room` elements, the first of them at any position in a vector.
template <typename T>
__host__ __device__ constexpr std::size_t tile_bytes(unsigned room) {
  return (room * sizeof(T) + 2 * sizeof(uint4) - 1) / sizeof(uint4) * sizeof(uint4);
}

/// Stores the sum of every piece in `out` (device, one for each). Every block takes `share` items, and each of its
/// eight warps takes an eighth of these. If a piece continues in other blocks' shares, each of its blocks but the last
/// sends its part to the last, by its mailbox in `boxes` (one per block). Dynamic shared memory: a tile of `room`
/// elements for each warp. A block sends before it waits, and all blocks of the grid run at once, so there is no
/// deadlock. The shares determine the order of all operations.
template <typename T, typename Pieces, typename Acc, typename Out, typename Op>
__global__ void __launch_bounds__(piece_block_size, piece_blocks<T, Acc>)  // all blocks run at once
    reduce_pieces(const T* in, Pieces pieces, Out* out, std::size_t share, unsigned room, mailbox<Acc>* boxes, Op op) {
  __shared__ Acc heads[piece_warps], tails[piece_warps];
  __shared__ share_of_warp places[piece_warps];
  const unsigned tid = threadIdx.x;
  const unsigned warp = tid / warp_size;
  const std::size_t block_first = blockIdx.x * share;
  const std::size_t block_last = min(block_first + share, pieces.items());
  const std::size_t first = min(block_first + warp * ceil_div(share, piece_warps), block_last);
  const std::size_t last = min(first + ceil_div(share, piece_warps), block_last);
  const share_of_warp mine = pieces.share(first, last);
  auto* const tile = dynamic_shared<unsigned char>() + warp * tile_bytes<T>(room);
  // Legal: every tile begins at a multiple of 16 bytes, and is only used for elements.
  const warp_share<Acc> found = walk<Acc>(in, pieces, mine, reinterpret_cast<T*>(tile), room, out, op);
  if (tid % warp_size == 0) {
    heads[warp] = found.head;
    tails[warp] = found.tail;
    places[warp] = mine;
  }
  __syncthreads();  // every warp's results are stored before others read them

  const auto ends_in = [&](unsigned w) { return places[w].to.piece != places[w].from.piece; };
  // Adds the tails of the warps before `w` to `sum`, back to a warp in which a piece ends. True if there is one.
  const auto add_tails_before = [&](unsigned w, Acc& sum) {
    while (w > 0) {
      sum = op(tails[--w], sum);
      if (ends_in(w)) return true;
    }
    return false;
  };
  const std::size_t open = places[piece_warps - 1].to.piece;
  if (tid == 0 && open < pieces.count() && pieces.begin(open) + open < block_last && blockIdx.x + 1 < gridDim.x) {
    Acc sum = Op::template identity<Acc>();
    add_tails_before(piece_warps, sum);
    send(boxes[blockIdx.x], sum);
  }
  if (tid % warp_size == 0 && ends_in(warp)) {
    Acc sum = heads[warp];
    if (add_tails_before(warp, sum)) out[places[warp].from.piece] = static_cast<Out>(sum);
  }
  // The first piece that ends in the block may have begun in a different block.
  unsigned w = 0;
  while (w < piece_warps && !ends_in(w)) ++w;
  if (w == piece_warps) return;  // all threads of the block take the same branch
  const std::size_t piece = places[0].from.piece;
  const std::size_t began = pieces.begin(piece) + piece;  // the item that is the piece's first element
  Acc sum = Op::template identity<Acc>();
  if (began < block_first) {
    const std::size_t sender = began / share + tid;
    const std::size_t senders = sender < blockIdx.x ? ceil_div(blockIdx.x - sender, piece_block_size) : 0;
    receive_all<Acc>(
        senders, [&](std::size_t i) -> mailbox<Acc>& { return boxes[sender + i * piece_block_size]; },
        [&](unsigned, const Acc& part) { sum = op(sum, part); });
    sum = block_reduce(sum, op);
  }
  if (tid == 0) {
    Acc inside = heads[w];
    add_tails_before(w, inside);
    out[piece] = static_cast<Out>(op(sum, inside));
  }
}

/// The division of pieces among blocks.
struct pieces_shape {
  unsigned grid_size;
  std::size_t share;  ///< Items per block.
};

/// Returns the launch shape for `count` > 0 pieces with `items` items. The blocks of a grid all run at once.
template <typename T, typename Acc>
pieces_shape shape_of_pieces(std::size_t count, std::size_t items) {
  const std::size_t blocks = std::size_t{piece_blocks<T, Acc>} * multiprocessor_count();
  const std::size_t even = ceil_div(items, blocks);
  const std::size_t unit = ceil_div(items, count);  // the items of one piece, if all pieces are equally long
  const std::size_t one_round = piece_block_size * sizeof(uint4) / sizeof(T);
  // A cut is worth its mailboxes only if each thread then has eight 16-byte loads. Otherwise, one load is enough.
  const std::size_t least_cut = std::max(even, 8 * one_round);
  // A share that ends with a piece needs no mailbox. If all pieces are equally long, no share needs one.
  std::size_t share = 0;
  if (unit <= least_cut)
    share = std::max({std::size_t{1}, ceil_div(even, unit), one_round / unit}) * unit;
  else
    share = ceil_div(unit, unit / least_cut);
  // In a large input, a whole number of pieces may be much more than an equal share.
  if (even > 8 * one_round && share > even + even / 8) share = even;
  return {static_cast<unsigned>(std::max(std::size_t{1}, ceil_div(items, share))), share};
}

/// Returns how many bytes of workspace `reduce_rows` and `reduce_segments` need on the current device, for
/// any input.
template <typename Acc>
std::size_t pieces_workspace_bytes() {
  return max_piece_blocks * std::size_t{multiprocessor_count()} * sizeof(mailbox<Acc>);
}

/// Returns how many elements of T a warp's tile has room for on the current device, if a multiprocessor's memory is
/// shared by the largest number of blocks.
template <typename T>
unsigned room_of_tile() {
  // 3 KiB per block are for the runtime and for data of all warps. More than 5 KiB per warp would need an opt-in.
  constexpr std::size_t others = 3072, most = 5120;
  const std::size_t bytes = attribute_or(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 65536);
  const std::size_t of_block = bytes / max_piece_blocks - others;
  return static_cast<unsigned>((std::min(of_block / piece_warps, most) - 2 * sizeof(uint4)) / sizeof(T));
}

/// Launches `reduce_pieces` on `stream`, unless there is no piece.
template <typename Acc, typename T, typename Pieces, typename Out, typename Op>
void launch_pieces(const T* in, const Pieces& pieces, Out* out, void* workspace, cudaStream_t stream, Op op) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<Acc>);
  if (pieces.count() == 0) return;
  const pieces_shape shape = shape_of_pieces<T, Acc>(pieces.count(), pieces.items());
  const unsigned room = Pieces::neighbours ? room_of_tile<T>() : 0;
  reduce_pieces<<<shape.grid_size, piece_block_size, piece_warps * tile_bytes<T>(room), stream>>>(
      in, pieces, out, shape.share, room, static_cast<mailbox<Acc>*>(workspace), op);
}

}  // namespace workbook
