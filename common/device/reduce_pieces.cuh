#pragma once
/// \file
/// Reductions of many pieces of an array, each for itself, in one launch: what rows.cuh and segments.cuh launch.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/block_reduce.cuh"
#include "device/group_sum.cuh"
#include "device/launch.cuh"
#include "device/mailbox.cuh"
#include "device/operators.cuh"
#include "device/pieces.cuh"
#include "device/vector.cuh"

namespace workbook {

inline constexpr unsigned piece_block_size = 256;
inline constexpr unsigned piece_warps = piece_block_size / warp_size;
/// The smallest multiprocessor here has room for 1024 threads: so many blocks of one grid run at once on any.
inline constexpr unsigned most_piece_blocks = 1024 / piece_block_size;
/// Blocks of a multiprocessor. Elements narrower than a register, which fill several once they are loaded, and wider
/// ones take more than the 64 registers that the most blocks leave a thread.
template <typename T, typename Acc>
inline constexpr unsigned piece_blocks = most_piece_blocks - (sizeof(T) == 4 && sizeof(Acc) == 4 ? 0
                                                              : sizeof(T) < 4 && sizeof(Acc) > 4 ? 2
                                                                                                 : 1);

/// A lane sums a staged piece of up to this length alone; the others wait for it.
inline constexpr unsigned longest_staged = 40;
/// A group of 8 lanes sums a piece of up to this length: in two rounds of four loads of 16 bytes for each lane.
template <typename T>
inline constexpr unsigned longest_of_group = 8 * 8 * sizeof(uint4) / sizeof(T);

/// What a warp finds in its share, beside the pieces that begin and end in it. Valid in lane 0.
template <typename Acc>
struct warp_share {
  Acc head;  ///< Of the first piece that ends in the share: its part in there.
  Acc tail;  ///< Of what stands behind the last end in the share: all elements where there is no end.
};

/// Copies the `n` elements at `in` (device, aligned for T) to `tile` (shared, aligned on 16 bytes), with loads of 16
/// bytes where there are any, and returns where in the tile the first one is. All lanes call it.
template <typename T>
__device__ unsigned stage(const T* in, unsigned n, T* tile) {
  constexpr unsigned N = sizeof(uint4) % sizeof(T) == 0 ? elements_per_load<T> : 1;
  constexpr unsigned depth = 4;  // loads in flight
  const unsigned lane = threadIdx.x % warp_size;
  const bool aligned = reinterpret_cast<std::uintptr_t>(in) % sizeof(T) == 0;
  const unsigned head = N > 1 && aligned ? static_cast<unsigned>(elements_before_vectors(in, n)) : n;
  const unsigned vectors = (n - head) / N;
  // A vector is as aligned in the tile as it is in the input.
  const unsigned first = (N - head % N) % N;
  // One element beside the vectors is on its way together with them.
  const unsigned rest = n - vectors * N;
  const auto other = [&](unsigned j) { return j < head ? j : j + vectors * N; };
  vector<1, T> early{};
  if (lane < rest) early.elements[0] = in[other(lane)];
  if constexpr (N > 1) {
    // Elements narrower than a register would each take one of their own: they travel as words.
    using moved = std::conditional_t<sizeof(T) < sizeof(unsigned), vector<1, uint4>, vector<N, T>>;
    using part = std::remove_reference_t<decltype(moved{}.elements[0])>;
    constexpr unsigned parts = sizeof(moved) / sizeof(part);
    // Legal: both begin where vectors do.
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

/// Sums 32 * Ends short pieces: through shared memory, so that neighbouring lanes read neighbouring elements, whoever
/// sums them. `begin` to `end` is each lane's piece of the `total` elements at `in`; `tile` has room for them and 16
/// bytes more.
template <unsigned Ends, typename T, typename Acc, typename Op>
__device__ void sum_staged(const T* in, unsigned total, const unsigned* begin, const unsigned* end, T* tile, Acc* sums,
                           Op op) {
  const unsigned lane = threadIdx.x % warp_size;
  __syncwarp();  // the lanes have read the pieces before from the tile
  tile += stage(in, total, tile);
  __syncwarp();  // every element stands in the tile before a lane reads its piece
#pragma unroll
  for (unsigned k = 0; k < Ends; ++k) {
    sums[k] = Op::template identity<Acc>();
    const unsigned length = end[k] - begin[k];
    // Pieces of even length begin in few banks: the lanes start at different elements of theirs.
    unsigned i = length % 2 != 0 || length == 0 ? 0 : lane & ((1u << (31 - __clz(static_cast<int>(length)))) - 1);
#pragma unroll 1
    for (unsigned j = 0; j < length; ++j) {
      sums[k] = op(sums[k], static_cast<Acc>(tile[begin[k] + i]));
      i = i + 1 < length ? i + 1 : 0;
    }
  }
}

/// Sums one piece for each lane: the `length` elements from `begin` on of piece `first` + lane. Short ones are summed
/// four at a time by 8 lanes each, longer ones one after the other by all lanes.
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
    // This group's piece is the one that as many of them stand before as groups.
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

/// Walks through a warp's share and leaves the sum of every piece that ends there in `out` (device), but the first.
/// `tile` (shared) has room for `room` elements and 16 bytes.
template <typename Acc, typename T, typename Pieces, typename Out, typename Op>
__device__ warp_share<Acc> walk(const T* in, const Pieces& pieces, const share_of_warp& share, T* tile, unsigned room,
                                Out* out, Op op) {
  // A lane's: the elements of as many warps full of short pieces are on their way together.
  constexpr unsigned ends = sizeof(Acc) <= 4 ? 4 : sizeof(Acc) <= 8 ? 2 : 1;
  const unsigned lane = threadIdx.x % warp_size;
  warp_share<Acc> found{Op::template identity<Acc>(), Op::template identity<Acc>()};
  std::size_t piece = share.from.piece;
  if (piece >= pieces.count()) return found;
  // No piece need begin with the first element of the array.
  std::size_t at = max(share.from.element, pieces.begin(piece));
  // What stands behind the last end is a piece as the others are.
  const std::size_t last_piece = share.to.piece;
  const std::size_t pieces_here = last_piece + (last_piece < pieces.count() ? 1 : 0);
  const auto end_of = [&](std::size_t p) { return p < last_piece ? pieces.end(p) : max(at, share.to.element); };
  while (piece < pieces_here) {
    const auto members = static_cast<unsigned>(min(std::size_t{ends * warp_size}, pieces_here - piece));
    // Seen from the first element; lanes beyond the members have no piece. Only numbers of short pieces are needed.
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
    // Lane 0 has the first one; the last one is in the lane of its number.
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

/// Returns the bytes of a warp's tile: room for `room` elements, which begin where a vector of theirs does.
template <typename T>
__host__ __device__ constexpr std::size_t tile_bytes(unsigned room) {
  return (room * sizeof(T) + 2 * sizeof(uint4) - 1) / sizeof(uint4) * sizeof(uint4);
}

/// Leaves the sum of every piece in `out` (device, one for each). Every block takes `share` items, every warp an eighth
/// of them. A piece that begins in one block's share and ends in another's: each block but the last sends its part to
/// the last by its mailbox in `boxes` (one a block). Dynamic shared memory: a tile of `room` elements for each warp. A
/// block sends before it waits, and all blocks of the grid run at once, so none waits for ever. The order of all
/// operations is fixed by the shares.
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
  // Legal: every tile begins with a multiple of 16 bytes, and is only used for elements.
  const warp_share<Acc> found = walk<Acc>(in, pieces, mine, reinterpret_cast<T*>(tile), room, out, op);
  if (tid % warp_size == 0) {
    heads[warp] = found.head;
    tails[warp] = found.tail;
    places[warp] = mine;
  }
  __syncthreads();  // what every warp has found stands there before others read it

  const auto ends_in = [&](unsigned w) { return places[w].to.piece != places[w].from.piece; };
  // The tails before warp `w`, back to one in which a piece ends, and `sum`. \returns whether there is such a warp
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
  // The first piece that ends in the block may have begun in another.
  unsigned w = 0;
  while (w < piece_warps && !ends_in(w)) ++w;
  if (w == piece_warps) return;  // all threads of the block alike
  const std::size_t piece = places[0].from.piece;
  const std::size_t began = pieces.begin(piece) + piece;  // the item that is its first element
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

/// How pieces are shared out.
struct pieces_shape {
  unsigned grid_size;
  std::size_t share;  ///< Items a block.
};

/// Returns the launch shape for `count` > 0 pieces with `items` items. No grid has more blocks than run at once.
template <typename T, typename Acc>
pieces_shape shape_of_pieces(std::size_t count, std::size_t items) {
  const std::size_t blocks = std::size_t{piece_blocks<T, Acc>} * multiprocessor_count();
  const std::size_t even = ceil_div(items, blocks);
  const std::size_t unit = ceil_div(items, count);  // of pieces of equal length: one of them
  const std::size_t one_round = piece_block_size * sizeof(uint4) / sizeof(T);
  // Eight loads of 16 bytes for each thread, or cutting a piece is not worth the letters; else one is enough.
  const std::size_t least_cut = std::max(even, 8 * one_round);
  // A share that ends where a piece does needs no mailbox: so it is with all, where all pieces are equally long.
  std::size_t share = 0;
  if (unit <= least_cut)
    share = std::max({std::size_t{1}, ceil_div(even, unit), one_round / unit}) * unit;
  else
    share = ceil_div(unit, unit / least_cut);
  // Where there is much to do, a round number of pieces may be much more than an equal share.
  if (even > 8 * one_round && share > even + even / 8) share = even;
  return {static_cast<unsigned>(std::max(std::size_t{1}, ceil_div(items, share))), share};
}

/// Returns how many bytes of workspace `reduce_rows` and `reduce_segments` need on the current device, whatever the
/// input is.
template <typename Acc>
std::size_t pieces_workspace_bytes() {
  return most_piece_blocks * std::size_t{multiprocessor_count()} * sizeof(mailbox<Acc>);
}

/// Returns how many elements of T a warp's tile has room for on the current device, where as many blocks as run at once
/// share a multiprocessor's memory.
template <typename T>
unsigned room_of_tile() {
  // Of it 3 KiB a block are the runtime's and what all warps share. More than 5 KiB a warp would want to be asked for.
  constexpr std::size_t others = 3072, most = 5120;
  const std::size_t bytes = attribute_or(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 65536);
  const std::size_t of_block = bytes / most_piece_blocks - others;
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
