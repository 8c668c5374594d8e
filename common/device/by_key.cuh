#pragma once
/// \file
/// Reductions of every run of equal neighbouring keys, in one launch.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <cuda/atomic>

#include "device/block_reduce.cuh"
#include "device/launch.cuh"
#include "device/mailbox.cuh"
#include "device/operators.cuh"
#include "device/shuffle.cuh"
#include "device/vector.cuh"

namespace workbook {

inline constexpr unsigned key_block_size = 256;
inline constexpr unsigned key_warps = key_block_size / warp_size;

/// Bytes that hold either of two types.
template <typename A, typename B>
inline constexpr std::size_t wider = sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B);

/// Elements a thread: as many as fit with their keys into 120 bytes of registers. An odd number: threads that read
/// their own elements in shared memory meet no bank conflict.
template <typename Key, typename T, typename Acc>
inline constexpr unsigned keys_a_thread =
    static_cast<unsigned>(std::clamp<std::size_t>(120 / (sizeof(Key) + wider<T, Acc>), 1, 15) - 1) | 1u;

/// What is known of all runs up to the end of a tile, in a word that is read and written as a whole.
struct runs_so_far {
  enum : unsigned { nothing, of_tile, of_all };
  unsigned state;            ///< Whether it is of this tile alone, or of all before it, too.
  unsigned last_with_one;    ///< 1 + the last tile in which a run begins; 0: there is none.
  unsigned long long begun;  ///< Runs that begin in there.

  __device__ unsigned long long word() const { return begun << 28 | last_with_one << 2 | state; }
  __device__ static runs_so_far of(unsigned long long word) {
    return {static_cast<unsigned>(word) & 3, static_cast<unsigned>(word) >> 2 & ((1u << 26) - 1), word >> 28};
  }
};

/// What a tile tells others. There are two words, which calls use in turn: a call empties those of the call before.
template <typename Acc>
struct key_tile {
  unsigned long long runs[2];
  mailbox<Acc> tail;  ///< Of the run that goes on behind the tile: its part in there.
};

/// What one call leaves to the next.
struct key_calls {
  unsigned long long turn;   ///< Which of a tile's words are in use: 0 or 1.
  unsigned long long tiles;  ///< Of the call before.
};

inline __device__ unsigned long long look(unsigned long long& word) {
  return cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(word).load(cuda::memory_order_relaxed);
}
inline __device__ void put(unsigned long long& word, unsigned long long value) {
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(word).store(value, cuda::memory_order_relaxed);
}

/// Returns what is known of all runs before tile `tile` > 0: looks back over the tiles, 32 at a time, until one has
/// counted all before it (Merrill and Garland, Single-pass parallel prefix scan with decoupled look-back). One warp
/// calls it; valid in all lanes.
template <typename Acc>
__device__ runs_so_far look_back(key_tile<Acc>* tiles, unsigned tile, unsigned turn) {
  const unsigned lane = threadIdx.x % warp_size;
  runs_so_far all{runs_so_far::of_all, 0, 0};
  for (unsigned end = tile;; end -= warp_size) {
    // Lane 0 looks at the nearest tile. Before the first tile is nothing.
    runs_so_far seen{runs_so_far::of_all, 0, 0};
    if (lane < end) {
      do seen = runs_so_far::of(look(tiles[end - 1 - lane].runs[turn]));
      while (seen.state == runs_so_far::nothing);
    }
    const unsigned complete = __ballot_sync(~0u, seen.state == runs_so_far::of_all);
    const unsigned nearest = complete != 0 ? static_cast<unsigned>(__ffs(static_cast<int>(complete))) - 1 : warp_size;
    if (lane > nearest) seen = {runs_so_far::of_all, 0, 0};
    for (unsigned offset = warp_size / 2; offset > 0; offset /= 2) {
      seen.begun += __shfl_xor_sync(~0u, seen.begun, static_cast<int>(offset));
      seen.last_with_one = max(seen.last_with_one, __shfl_xor_sync(~0u, seen.last_with_one, static_cast<int>(offset)));
    }
    all.begun += seen.begun;
    all.last_with_one = max(all.last_with_one, seen.last_with_one);
    if (complete != 0) return all;
  }
}

/// Leaves the first key of each run in `unique`, its sum in `sums`, and the number of runs in `*runs` (all device). A
/// block a tile of `keys_a_thread` elements a thread. A tile waits only for tiles before it, whose blocks start first.
template <typename Key, typename T, typename Acc, typename Out, typename Count, typename Op>
__global__ void __launch_bounds__(key_block_size)
    reduce_runs(const Key* keys, const T* in, std::size_t n, Key* unique, Out* sums, Count* runs, key_calls* calls,
                key_tile<Acc>* tiles, Op op) {
  constexpr unsigned items = keys_a_thread<Key, T, Acc>;
  constexpr unsigned tile_size = items * key_block_size;
  __shared__ Key tile_keys[tile_size];
  __shared__ alignas(16) unsigned char value_memory[tile_size * wider<T, Acc>];
  __shared__ unsigned warp_runs[key_warps];
  __shared__ bool warp_begins[key_warps];
  __shared__ Acc warp_tails[key_warps];
  __shared__ unsigned turn_now;
  __shared__ runs_so_far before_tile;
  __shared__ Acc near_tail;
  // First the elements, then the sums: a barrier lies between.
  T* const tile_values = reinterpret_cast<T*>(value_memory);
  Acc* const tile_sums = reinterpret_cast<Acc*>(value_memory);
  const unsigned tid = threadIdx.x, lane = tid % warp_size, warp = tid / warp_size;
  const unsigned tile = blockIdx.x;
  const bool is_last = tile + 1 == gridDim.x;
  const std::size_t base = std::size_t{tile} * tile_size;
  const auto count = static_cast<unsigned>(min(n - base, std::size_t{tile_size}));

  vector<1, Key> before{};  // the key in front of the tile
  if (tid == 0 && tile > 0) before.elements[0] = keys[base - 1];
  {
    Key k[items];
    T v[items];
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (tid + i * key_block_size < count) k[i] = keys[base + tid + i * key_block_size];
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (tid + i * key_block_size < count) v[i] = in[base + tid + i * key_block_size];
    if (tid == 0) turn_now = static_cast<unsigned>(look(calls->turn));
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      if (tid + i * key_block_size >= count) continue;
      tile_keys[tid + i * key_block_size] = k[i];
      tile_values[tid + i * key_block_size] = v[i];
    }
  }
  __syncthreads();  // keys and elements stand in the tile before threads read those of their own
  const unsigned turn = turn_now;
  if (tid == warp_size)
    for (std::size_t t = tile, used = look(calls->tiles); t < used; t += gridDim.x) put(tiles[t].runs[1 - turn], 0);

  // Each thread has neighbouring elements: what stands before the first run that begins there, and behind the last.
  const unsigned mine = min(count, (tid + 1) * items) - min(count, tid * items);
  Key key[items];
  Acc value[items];
  unsigned begins = 0;
#pragma unroll
  for (unsigned i = 0; i < items; ++i) {
    if (i >= mine) break;
    key[i] = tile_keys[tid * items + i];
    value[i] = static_cast<Acc>(tile_values[tid * items + i]);
  }
  if (mine > 0) {
    const bool is_first = tid == 0 && tile == 0;
    if (is_first || !((tid == 0 ? before.elements[0] : tile_keys[tid * items - 1]) == key[0])) begins = 1;
  }
#pragma unroll
  for (unsigned i = 1; i < items; ++i)
    if (i < mine && !(key[i - 1] == key[i])) begins |= 1u << i;
  Acc front = Op::template identity<Acc>(), back = Op::template identity<Acc>();
#pragma unroll
  for (unsigned i = 0; i < items; ++i) {
    if (i >= mine) break;
    if ((begins >> i & 1) != 0) {
      if ((begins & ((1u << i) - 1)) == 0) front = back;
      back = value[i];
    } else {
      back = op(back, value[i]);
    }
  }
  // Two scans in each warp: runs that begin up to here, and what the open run holds.
  unsigned begun = static_cast<unsigned>(__popc(begins));
  bool has_begin = begins != 0;
  for (unsigned offset = 1; offset < warp_size; offset *= 2) {
    const unsigned other_begun = __shfl_up_sync(~0u, begun, offset);
    const bool other_has = __shfl_up_sync(~0u, static_cast<unsigned>(has_begin), offset) != 0;
    const Acc other = shuffle_up(~0u, back, offset);
    if (lane < offset) continue;
    begun += other_begun;
    if (!has_begin) back = op(other, back);
    has_begin = has_begin || other_has;
  }
  if (lane == warp_size - 1) {
    warp_runs[warp] = begun;
    warp_begins[warp] = has_begin;
    warp_tails[warp] = back;
  }
  __syncthreads();  // every warp's runs and tail stand there; the threads have read their elements from the tile

  unsigned runs_here = 0, first = begun - static_cast<unsigned>(__popc(begins));
  Acc open = Op::template identity<Acc>();  // of the run that is open where the warp begins, its part in the tile
  for (unsigned w = 0; w < key_warps; ++w) {
    if (w < warp) {
      first += warp_runs[w];
      open = warp_begins[w] ? warp_tails[w] : op(open, warp_tails[w]);
    }
    runs_here += warp_runs[w];
  }
  if (tid == 0) {
    const runs_so_far own{tile == 0 ? runs_so_far::of_all : runs_so_far::of_tile, runs_here > 0 ? tile + 1 : 0,
                          runs_here};
    put(tiles[tile].runs[turn], own.word());
  }
  const Acc last_back = has_begin ? back : op(open, back);
  if (tid == key_block_size - 1 && !is_last) send(tiles[tile].tail, last_back);

  // The sums of runs that end here, in the order of the runs that begin behind them.
  {
    Acc carried = shuffle_up(~0u, back, 1);
    const bool carried_begins = __shfl_up_sync(~0u, static_cast<unsigned>(has_begin), 1) != 0;
    if (lane == 0)
      carried = open;
    else if (!carried_begins)
      carried = op(open, carried);
    Acc sum = op(carried, front);
    unsigned run = first;
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      if (i >= mine) break;
      if ((begins >> i & 1) != 0) {
        tile_sums[run] = sum;
        tile_keys[run++] = key[i];
        sum = value[i];
      } else if (run != first) {
        sum = op(sum, value[i]);
      }
    }
  }
  // Two journeys at once: how many runs there are before, and the part of the open run in the tile before. Where a run
  // ends or nothing follows, that part is always wanted.
  const bool wants_tails = tile > 0 && (runs_here > 0 || is_last);
  if (warp == 0) {
    const runs_so_far before = tile > 0 ? look_back(tiles, tile, turn) : runs_so_far{runs_so_far::of_all, 0, 0};
    if (lane == 0) before_tile = before;
    const runs_so_far up_to_here{runs_so_far::of_all, runs_here > 0 ? tile + 1 : before.last_with_one,
                                 before.begun + runs_here};
    if (lane == 0 && tile > 0) put(tiles[tile].runs[turn], up_to_here.word());
  } else if (tid == warp_size) {
    near_tail = wants_tails ? receive(tiles[tile - 1].tail) : Op::template identity<Acc>();
  }
  __syncthreads();  // the sums, and what is known of the tiles before, stand there before all threads read them

  const unsigned long long earlier = before_tile.begun;
  Acc carry = Op::template identity<Acc>();
  const unsigned begun_in = before_tile.last_with_one - 1;
  if (wants_tails && begun_in + 1 < tile) {
    // The open run began further away: that tile and all between have sent their parts.
    const unsigned others = tile - 1 - begun_in;
    receive_all<Acc>(
        tid < others ? ceil_div(others - tid, key_block_size) : 0,
        [&](std::size_t i) -> mailbox<Acc>& { return tiles[begun_in + tid + i * key_block_size].tail; },
        [&](unsigned, const Acc& part) { carry = op(carry, part); });
    carry = block_reduce(carry, op);
  }
  carry = op(carry, near_tail);  // valid in thread 0, as the sum is
  for (unsigned run = tid; run < runs_here; run += key_block_size) {
    unique[earlier + run] = tile_keys[run];
    const Acc sum = tile_sums[run];
    if (earlier + run > 0) sums[earlier + run - 1] = static_cast<Out>(run == 0 ? op(carry, sum) : sum);
  }
  if (!is_last) return;
  __shared__ Acc last_tail;
  if (tid == key_block_size - 1) last_tail = last_back;
  __syncthreads();  // the open run's part stands there before it is taken for the last run's sum
  if (tid != 0) return;
  *runs = static_cast<Count>(earlier + runs_here);
  if (n > 0) sums[earlier + runs_here - 1] = static_cast<Out>(runs_here > 0 ? last_tail : op(carry, last_tail));
  // All tiles have told their runs, so each has read whose turn it is.
  put(calls->turn, 1 - turn);
  put(calls->tiles, gridDim.x);
}

/// Returns how many bytes of workspace `reduce_by_key` needs for up to `n` elements.
template <typename Key, typename T, typename Acc>
std::size_t reduce_by_key_workspace_bytes(std::size_t n) {
  const std::size_t tiles = block_count(n, keys_a_thread<Key, T, Acc> * std::size_t{key_block_size});
  return sizeof(key_calls) + tiles * sizeof(key_tile<Acc>);
}

/// Reduces each run of equal neighbouring keys, with one launch on `stream`: run r of them has its key in `unique[r]`
/// and the reduction of its elements in `sums[r]`; the number of runs is left in `*runs`, a whole number of any width
/// (all device; `unique` and `sums` have room for as many as there may be, at most `n`). `keys` and `in` (device) have
/// `n` elements, fewer than 2^34; 0 give no run. Keys are compared by ==, so a NaN equals none. No output may overlap
/// an input. Values are converted to Acc first, and integers wrap in it; sums are converted to Out. `workspace`
/// (device, aligned on 8 bytes) has `reduce_by_key_workspace_bytes<Key, T, Acc>(n)` bytes, zeroed once, and serves one
/// call at a time, of these types and any smaller `n`. Equal calls give equal bits. Does not synchronise or allocate.
/// Errors are cudaGetLastError's.
template <typename Acc, typename Key, typename T, typename Out, typename Count, reduction_operator<Acc> Op = plus>
void reduce_by_key(const Key* keys, const T* in, std::size_t n, Key* unique, Out* sums, Count* runs, void* workspace,
                   cudaStream_t stream = nullptr, Op op = {}) {
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<T> &&
                std::is_trivially_copyable_v<Acc> && std::is_integral_v<Count>);
  const unsigned tiles = block_count(n, keys_a_thread<Key, T, Acc> * std::size_t{key_block_size});
  auto* const calls = static_cast<key_calls*>(workspace);
  reduce_runs<<<tiles, key_block_size, 0, stream>>>(keys, in, n, unique, sums, runs, calls,
                                                    reinterpret_cast<key_tile<Acc>*>(calls + 1), op);
}

}  // namespace workbook
