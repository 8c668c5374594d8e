#pragma once
/// \file
/// Reductions of every run of equal neighbouring keys, in one launch.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reductions/block_reduce.cuh"
#include "reductions/key_tiles.cuh"
#include "reductions/launch.cuh"
#include "reductions/mailbox.cuh"
#include "reductions/operators.cuh"
#include "reductions/shuffle.cuh"
#include "reductions/vector.cuh"

namespace workbook {

inline constexpr unsigned key_block_size = 256;
inline constexpr unsigned key_warps = key_block_size / warp_size;
/// Blocks per streaming multiprocessor (SM): four tiles of 46 KiB fill the shared memory of an H100.
inline constexpr unsigned key_blocks = 4;

/// Elements per thread: as many as fit with their keys into 46 KiB of a block's shared memory, but at most 23, so that
/// 64 registers are enough. The number is odd, so that threads read their own elements without bank conflicts. A tile
/// waits for all earlier tiles, so it is best if much of the input is in flight meanwhile (docs/decisions/028).
template <typename Key, typename Acc>
inline constexpr unsigned keys_a_thread =
    static_cast<unsigned>(std::clamp<std::size_t>(46 * 1024 / (key_block_size * (sizeof(Key) + sizeof(Acc))), 1, 23) -
                          1) |
    1u;
/// The same for an input that one wave of smaller tiles covers: a thread with fewer elements finishes earlier.
template <typename Key, typename Acc>
inline constexpr unsigned few_keys_a_thread = keys_a_thread<Key, Acc> / 2 | 1u;

/// Returns the largest number of elements that small tiles are used for, on the current device.
template <typename Key, typename Acc>
std::size_t max_in_small_tiles() {
  return std::size_t{key_blocks} * multiprocessor_count() * few_keys_a_thread<Key, Acc> * key_block_size;
}

/// A tile of keys and elements in shared memory. After all threads have read their elements, it holds the runs that
/// begin in the tile: for each, its key, and the sum of the run before it.
template <unsigned Items, typename Key, typename Acc>
struct key_tile_memory {
  struct pair {
    Acc sum;
    Key key;
  };
  static constexpr unsigned size = Items * key_block_size;
  /// True if a pair has no padding, so that one store writes key and sum.
  static constexpr bool in_pairs = sizeof(pair) == sizeof(Key) + sizeof(Acc);
  static constexpr std::size_t values_at = ceil_div(size * sizeof(Key), 16) * 16;
  static constexpr std::size_t bytes = values_at + size * sizeof(Acc);

  unsigned char* memory;  ///< Aligned to 16 bytes.

  __device__ Key& key(unsigned i) const { return reinterpret_cast<Key*>(memory)[i]; }
  __device__ Acc& value(unsigned i) const { return reinterpret_cast<Acc*>(memory + values_at)[i]; }
  __device__ Key& run_key(unsigned run) const {
    if constexpr (in_pairs)
      return reinterpret_cast<pair*>(memory)[run].key;
    else
      return key(run);
  }
  __device__ Acc& run_sum(unsigned run) const {
    if constexpr (in_pairs)
      return reinterpret_cast<pair*>(memory)[run].sum;
    else
      return value(run);
  }
  __device__ void set_run(unsigned run, const Key& its_key, const Acc& sum) const {
    if constexpr (in_pairs) {
      reinterpret_cast<pair*>(memory)[run] = {sum, its_key};
    } else {
      key(run) = its_key;
      value(run) = sum;
    }
  }
};

/// Copies the N elements at `in` (device, aligned to 16 bytes) to `tile` (shared), converted to Acc, with 16-byte
/// loads. All threads call `load` first, and `store` after all other loads have been issued.
template <unsigned N, typename T, typename Acc>
struct wide_copy {
  static constexpr unsigned width = elements_per_load<T>, count = N / width;
  static constexpr unsigned per_thread = static_cast<unsigned>(ceil_div(count, key_block_size));
  vector<width, T> v[per_thread];

  __device__ static bool is_there(unsigned i) {
    return (i + 1) * key_block_size <= count || threadIdx.x + i * key_block_size < count;
  }
  __device__ void load(const T* in) {
#pragma unroll
    for (unsigned i = 0; i < per_thread; ++i)
      if (is_there(i)) v[i] = workbook::load<width>(in + (threadIdx.x + i * key_block_size) * width);
  }
  __device__ void store(Acc* tile) const {
#pragma unroll
    for (unsigned i = 0; i < per_thread; ++i) {
      if (!is_there(i)) continue;
      Acc* const to = tile + (threadIdx.x + i * key_block_size) * width;
      if constexpr (std::is_same_v<T, Acc>)
        workbook::store(to, v[i]);
      else
        for (unsigned k = 0; k < width; ++k) to[k] = static_cast<Acc>(v[i].elements[k]);
    }
  }
};

/// True if a 16-byte load holds whole elements, so that a tile consists of such loads.
template <typename T>
inline constexpr bool loads_widely = sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0;

/// Copies the first `count` keys and elements of `keys` and `in` (device) to `tile` (shared). Missing elements of a
/// tile are set to the identity. All threads of a block call it, and need a barrier before they read the tile.
template <typename Op, unsigned Items, typename Key, typename T, typename Acc>
__device__ void load_key_tile(const Key* keys, const T* in, unsigned count,
                              const key_tile_memory<Items, Key, Acc>& tile) {
  constexpr unsigned items = Items, size = Items * key_block_size;
  const unsigned tid = threadIdx.x;
  // A full tile doesn't test whether each element exists, because the tests would be a third of all instructions.
  if constexpr (loads_widely<Key> && loads_widely<T>) {
    const auto bits = reinterpret_cast<std::uintptr_t>(keys) | reinterpret_cast<std::uintptr_t>(in);
    if (count == size && bits % sizeof(uint4) == 0) {
      wide_copy<size, Key, Key> of_keys;
      wide_copy<size, T, Acc> of_values;
      of_keys.load(keys);
      of_values.load(in);
      of_keys.store(&tile.key(0));
      of_values.store(&tile.value(0));
      return;
    }
  }
  const auto load_all = [&](auto is_there) {
    Key k[items];
    T v[items];
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (is_there(i)) k[i] = keys[tid + i * key_block_size];
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (is_there(i)) v[i] = in[tid + i * key_block_size];
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      tile.key(tid + i * key_block_size) = is_there(i) ? k[i] : Key{};
      tile.value(tid + i * key_block_size) = is_there(i) ? static_cast<Acc>(v[i]) : Op::template identity<Acc>();
    }
  };
  if (count == size)
    load_all([](unsigned) { return true; });
  else
    load_all([&](unsigned i) { return tid + i * key_block_size < count; });
}

/// Stores the first key of each run in `unique`, its sum in `sums`, and the number of runs in `*runs` (all device).
/// Each block takes a tile of `Items` elements per thread, an odd number. A tile waits only for earlier tiles, whose
/// blocks start first.
template <unsigned Items, typename Key, typename T, typename Acc, typename Out, typename Count, typename Op>
__global__ void __launch_bounds__(key_block_size, key_blocks)
    reduce_runs(const Key* keys, const T* in, std::size_t n, Key* unique, Out* sums, Count* runs, key_calls* calls,
                key_tile<Acc>* tiles, Op op) {
  using shared_tile = key_tile_memory<Items, Key, Acc>;
  constexpr unsigned items = Items, tile_size = shared_tile::size;
  __shared__ alignas(16) unsigned char tile_memory[shared_tile::bytes];
  __shared__ unsigned warp_runs[key_warps];
  __shared__ bool warp_begins[key_warps];
  __shared__ Acc warp_tails[key_warps];
  __shared__ unsigned turn_now;
  __shared__ runs_so_far before_tile;
  __shared__ Acc near_tails, last_tail;
  __shared__ bool near_is_all;
  const shared_tile here{tile_memory};
  const unsigned tid = threadIdx.x, lane = tid % warp_size, warp = tid / warp_size;
  const unsigned tile = blockIdx.x;
  const bool is_last = tile + 1 == gridDim.x;
  const std::size_t base = std::size_t{tile} * tile_size;
  const auto count = static_cast<unsigned>(min(n - base, std::size_t{tile_size}));

  vector<1, Key> before{};  // the key before the tile
  if (tid == 0 && tile > 0) before.elements[0] = keys[base - 1];
  if (tid == 0) turn_now = static_cast<unsigned>(look(calls->turn));
  load_key_tile<Op>(keys + base, in + base, count, here);
  __syncthreads();  // keys and elements are in the tile before each thread reads its own
  const unsigned turn = turn_now;
  if (tid == 2 * warp_size)
    for (std::size_t t = tile, used = look(calls->tiles); t < used; t += gridDim.x) put(tiles[t].runs[1 - turn], 0);

  // Each thread has neighbouring elements. Bit i of `begins` is set if a run begins with its element i.
  Key key[items];
  Acc value[items];
#pragma unroll
  for (unsigned i = 0; i < items; ++i) key[i] = here.key(tid * items + i);
#pragma unroll
  for (unsigned i = 0; i < items; ++i) value[i] = here.value(tid * items + i);
  const bool is_first = tid == 0 && tile == 0;
  unsigned begins = is_first || !((tid == 0 ? before.elements[0] : here.key(tid * items - 1)) == key[0]) ? 1 : 0;
#pragma unroll
  for (unsigned i = 1; i < items; ++i)
    if (!(key[i - 1] == key[i])) begins |= 1u << i;
  if (count < tile_size) begins &= (1u << (min(count, (tid + 1) * items) - min(count, tid * items))) - 1;

  // The number of runs that begin before this thread's elements, and the number in the tile.
  const auto own_runs = static_cast<unsigned>(__popc(begins));
  unsigned begun = own_runs;
#pragma unroll
  for (unsigned offset = 1; offset < warp_size; offset *= 2) {
    const unsigned other = __shfl_up_sync(~0u, begun, offset);
    if (lane >= offset) begun += other;
  }
  if (lane == warp_size - 1) warp_runs[warp] = begun;
  __syncthreads();  // every warp's number is stored, and all threads have read their elements before runs replace them
  unsigned runs_here = lane < key_warps ? warp_runs[lane] : 0;
#pragma unroll
  for (unsigned offset = 1; offset < key_warps; offset *= 2) {
    const unsigned other = __shfl_up_sync(~0u, runs_here, offset);
    if (lane >= offset) runs_here += other;
  }
  const unsigned of_warps_before = __shfl_sync(~0u, runs_here, static_cast<int>(max(warp, 1u)) - 1);
  const unsigned first = begun - own_runs + (warp > 0 ? of_warps_before : 0);
  runs_here = __shfl_sync(~0u, runs_here, key_warps - 1);
  if (tid == 0) {  // as early as possible, because later tiles wait for this
    const runs_so_far own{tile == 0 ? runs_so_far::of_all : runs_so_far::of_tile, runs_here > 0 ? tile + 1 : 0,
                          runs_here};
    put(tiles[tile].runs[turn], own.word());
  }

  // Where a run begins, the previous one ends: this thread's part of that run's sum is stored there.
  Acc back = value[0];
  unsigned run = first;
  if ((begins & 1) != 0) here.set_run(run++, key[0], Op::template identity<Acc>());
#pragma unroll
  for (unsigned i = 1; i < items; ++i) {
    if ((begins >> i & 1) != 0) {
      here.set_run(run++, key[i], back);
      back = value[i];
    } else {
      back = op(back, value[i]);
    }
  }
  // A scan over the warp: each thread's `back` becomes the warp's part of the run that is open after the thread's
  // elements. `from` is the nearest lane in which a run begins.
  const unsigned lanes_that_begin = __ballot_sync(~0u, begins != 0);
  const unsigned up_to_here = lanes_that_begin & (~0u >> (warp_size - 1 - lane));
  const unsigned from =
      up_to_here != 0 ? warp_size - 1 - static_cast<unsigned>(__clz(static_cast<int>(up_to_here))) : 0;
#pragma unroll
  for (unsigned offset = 1; offset < warp_size; offset *= 2) {
    const Acc other = shuffle_up(~0u, back, offset);
    if (from + offset <= lane) back = op(other, back);
  }
  Acc carried = shuffle_up(~0u, back, 1);
  if (lane == warp_size - 1) {
    warp_begins[warp] = lanes_that_begin != 0;
    warp_tails[warp] = back;
  }
  __syncthreads();                          // every warp's tail is stored before later warps read it
  Acc open = Op::template identity<Acc>();  // the tile's part of the run that is open where the warp begins
  const unsigned warps_that_begin = __ballot_sync(~0u, lane < warp && warp_begins[lane]);
  unsigned w =
      warps_that_begin != 0 ? warp_size - 1 - static_cast<unsigned>(__clz(static_cast<int>(warps_that_begin))) : 0;
#pragma unroll 1
  for (; w < warp; ++w) open = op(open, warp_tails[w]);
  if (tid == key_block_size - 1) {
    const Acc tail = lanes_that_begin != 0 ? back : op(open, back);
    if (is_last)
      last_tail = tail;
    else
      send(tiles[tile].tail, tail, runs_here > 0 ? run_begins : 0);
  }
  if (begins != 0) {
    if (lane == 0)
      carried = open;
    else if ((lanes_that_begin & ((1u << lane) - 1)) == 0)
      carried = op(open, carried);
    here.run_sum(first) = op(carried, here.run_sum(first));
  }

  // Two memory latencies overlap here: warp 0 finds the number of earlier runs, and warp 1 the open run's parts in
  // earlier tiles. Those parts are needed if a run ends here or if this is the last tile.
  const bool wants_tails = tile > 0 && (runs_here > 0 || is_last);
  if (warp == 0) {
    const runs_so_far earlier = tile > 0 ? look_back(tiles, tile, turn) : runs_so_far{runs_so_far::of_all, 0, 0};
    if (lane == 0) before_tile = earlier;
    const runs_so_far up_to_tile{runs_so_far::of_all, runs_here > 0 ? tile + 1 : earlier.last_with_one,
                                 earlier.begun + runs_here};
    if (lane == 0 && tile > 0) put(tiles[tile].runs[turn], up_to_tile.word());
  } else if (warp == 1) {
    bool reached = true;
    Acc parts = Op::template identity<Acc>();
    if (wants_tails) parts = receive_near_tails(tiles, tile, reached, op);
    if (lane == 0) {
      near_tails = parts;
      near_is_all = reached;
    }
  }
  __syncthreads();  // this tile's sums and the results of earlier tiles are stored before all threads read them

  const unsigned long long earlier = before_tile.begun;
  Acc carry = Op::template identity<Acc>();
  if (wants_tails && !near_is_all) {
    // The open run began before the near tiles. The tile where it began and those up to the near ones have sent parts.
    const unsigned begun_in = before_tile.last_with_one - 1, others = tile - near_tiles - begun_in;
    receive_all<Acc>(
        tid < others ? ceil_div(others - tid, key_block_size) : 0,
        [&](std::size_t i) -> mailbox<Acc>& { return tiles[begun_in + tid + i * key_block_size].tail; },
        [&](unsigned, const Acc& part) { carry = op(carry, part); });
    carry = block_reduce(carry, op);
  }
  carry = op(carry, near_tails);  // valid in thread 0, which adds it to the first run that ends here
  if (tid == 0 && runs_here > 0) here.run_sum(0) = op(carry, here.run_sum(0));
  Key* const unique_here = unique + earlier;
  Out* const sums_here = sums + earlier;
  const unsigned without_sum = earlier == 0 ? 1 : 0;
  for (unsigned r = tid; r < runs_here; r += key_block_size) {
    unique_here[r] = here.run_key(r);
    // The stored sum belongs to the previous run. The very first run has no previous one.
    if (r >= without_sum) *(sums_here + r - 1) = static_cast<Out>(here.run_sum(r));
  }
  if (!is_last || tid != 0) return;
  *runs = static_cast<Count>(earlier + runs_here);
  if (n > 0) sums[earlier + runs_here - 1] = static_cast<Out>(runs_here > 0 ? last_tail : op(carry, last_tail));
  // All tiles have published their runs, so all have read `calls->turn`, and it may change.
  put(calls->turn, 1 - turn);
  put(calls->tiles, gridDim.x);
}

/// Returns how many bytes of workspace `reduce_by_key` needs for up to `n` elements, on the current device.
template <typename Key, typename T, typename Acc>
std::size_t reduce_by_key_workspace_bytes(std::size_t n) {
  const std::size_t small_ones = std::min(n, max_in_small_tiles<Key, Acc>());
  const unsigned tiles = std::max(block_count(n, keys_a_thread<Key, Acc> * std::size_t{key_block_size}),
                                  block_count(small_ones, few_keys_a_thread<Key, Acc> * std::size_t{key_block_size}));
  return sizeof(key_calls) + tiles * sizeof(key_tile<Acc>);
}

/// Reduces each run of equal neighbouring keys, with one launch on `stream`. Stores the key of run r in `unique[r]`,
/// the reduction of its elements in `sums[r]`, and the number of runs in `*runs`, an integer of any width (all device;
/// `unique` and `sums` have room for the largest possible number of runs, at most `n`). `keys` and `in` (device) have
/// `n` elements, fewer than 2^34; if `n` is 0, there are no runs. Keys are compared by ==, so a NaN equals no key. No
/// output may overlap an input. Values are converted to Acc first, and integers wrap in it; sums are converted to Out.
/// `workspace` (device, aligned to 8 bytes) has `reduce_by_key_workspace_bytes<Key, T, Acc>(n)` bytes, is zeroed once,
/// and serves one call at a time, of these types and any smaller `n`. Equal calls on equal devices give equal bits.
/// Does not synchronise or allocate. cudaGetLastError returns errors.
template <typename Acc, typename Key, typename T, typename Out, typename Count, reduction_operator<Acc> Op = plus>
void reduce_by_key(const Key* keys, const T* in, std::size_t n, Key* unique, Out* sums, Count* runs, void* workspace,
                   cudaStream_t stream = nullptr, Op op = {}) {
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<T> &&
                std::is_trivially_copyable_v<Acc> && std::is_integral_v<Count>);
  const auto launch = [&](auto* kernel, unsigned items) {
    const unsigned tiles = block_count(n, std::size_t{items} * key_block_size);
    auto* const calls = static_cast<key_calls*>(workspace);
    kernel<<<tiles, key_block_size, 0, stream>>>(keys, in, n, unique, sums, runs, calls,
                                                 reinterpret_cast<key_tile<Acc>*>(calls + 1), op);
  };
  constexpr unsigned many = keys_a_thread<Key, Acc>, few = few_keys_a_thread<Key, Acc>;
  if (n <= max_in_small_tiles<Key, Acc>())
    launch(reduce_runs<few, Key, T, Acc, Out, Count, Op>, few);
  else
    launch(reduce_runs<many, Key, T, Acc, Out, Count, Op>, many);
}

}  // namespace workbook
