#pragma once
/// \file
/// The data that the tiles of by_key.cuh exchange: the number of runs up to a tile, and the tile's part of an open run.

#include <cstddef>
#include <cstring>

#include <cuda/atomic>

#include "reductions/mailbox.cuh"
#include "reductions/shuffle.cuh"

namespace workbook {

/// Bit of the marks in the mailbox of a tile's tail (bit 0 means that a word has arrived): a run begins in the tile.
inline constexpr unsigned run_begins = 2;
/// The number of tiles whose parts of an open run a warp reads at once: a power of two.
inline constexpr unsigned near_tiles = 8;

/// The runs up to the end of a tile, in one word that is read and written as a whole.
struct runs_so_far {
  enum : unsigned { nothing, of_tile, of_all };
  unsigned state;            ///< `of_tile`: counts this tile alone. `of_all`: counts all tiles before it, too.
  unsigned last_with_one;    ///< 1 + the last tile in which a run begins; 0 if there is none.
  unsigned long long begun;  ///< The number of runs that begin in the counted tiles.

  __device__ unsigned long long word() const { return begun << 28 | last_with_one << 2 | state; }
  __device__ static runs_so_far of(unsigned long long word) {
    return {static_cast<unsigned>(word) & 3, static_cast<unsigned>(word) >> 2 & ((1u << 26) - 1), word >> 28};
  }
};

/// The data that a tile publishes. Successive calls alternate between the two words, and each clears its predecessor's.
template <typename Acc>
struct key_tile {
  unsigned long long runs[2];
  mailbox<Acc> tail;  ///< The tile's part of the run that continues after the tile.
};

/// The state that one call leaves for the next.
struct key_calls {
  unsigned long long turn;   ///< Selects the words of a tile that are in use: 0 or 1.
  unsigned long long tiles;  ///< Number of tiles of the call before.
};

inline __device__ unsigned long long look(unsigned long long& word) {
  return cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(word).load(cuda::memory_order_relaxed);
}
inline __device__ void put(unsigned long long& word, unsigned long long value) {
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(word).store(value, cuda::memory_order_relaxed);
}

/// Returns the combined information about all tiles before tile `tile` > 0. Looks back over the tiles, 32 at a time,
/// until it finds one that has counted all tiles before it (Merrill and Garland, Single-pass parallel prefix scan with
/// decoupled look-back). All lanes of one warp call it, and the result is valid in all of them.
template <typename Acc>
__device__ runs_so_far look_back(key_tile<Acc>* tiles, unsigned tile, unsigned turn) {
  const unsigned lane = threadIdx.x % warp_size;
  runs_so_far all{runs_so_far::of_all, 0, 0};
  for (unsigned end = tile;; end -= warp_size) {
    // Lane 0 looks at the nearest tile. There is nothing before the first tile.
    runs_so_far seen{runs_so_far::of_all, 0, 0};
    if (lane < end) {
      do seen = runs_so_far::of(look(tiles[end - 1 - lane].runs[turn]));
      while (seen.state == runs_so_far::nothing);
    }
    const unsigned complete = __ballot_sync(~0u, seen.state == runs_so_far::of_all);
    const unsigned nearest = complete != 0 ? static_cast<unsigned>(__ffs(static_cast<int>(complete))) - 1 : warp_size;
    if (lane > nearest) seen = {runs_so_far::of_all, 0, 0};
    all.begun += seen.begun;  // of this lane; the lanes' numbers are added up at the end
    all.last_with_one = max(all.last_with_one, seen.last_with_one);
    if (complete != 0) break;
  }
  for (unsigned offset = warp_size / 2; offset > 0; offset /= 2) {
    all.begun += __shfl_xor_sync(~0u, all.begun, static_cast<int>(offset));
    all.last_with_one = max(all.last_with_one, __shfl_xor_sync(~0u, all.last_with_one, static_cast<int>(offset)));
  }
  return all;
}

/// Returns the reduction of the open run's parts in the `near_tiles` tiles before tile `tile` > 0, starting with the
/// nearest one in which a run begins. Sets `reached` to true if there is such a tile. Otherwise the run began earlier,
/// and the result covers all these tiles. Waits for their tails, and empties their mailboxes. All lanes of one warp
/// call it; the result is valid in lane 0, and `reached` in all lanes.
template <typename Acc, typename Op>
__device__ Acc receive_near_tails(key_tile<Acc>* tiles, unsigned tile, bool& reached, Op op) {
  constexpr unsigned word_count = mailbox<Acc>::word_count;
  const unsigned lane = threadIdx.x % warp_size;
  const bool exists = lane < min(tile, near_tiles);  // lane 0 has the nearest tile; the first tile always begins a run
  mailbox<Acc>& box = tiles[exists ? tile - 1 - lane : 0].tail;
  unsigned long long seen[word_count];
  unsigned nearest, missing;
  do {
    bool is_there = exists;
    for (unsigned k = 0; k < word_count; ++k) seen[k] = exists ? look(box.words[k]) : 0;
    for (unsigned k = 0; k < word_count; ++k) is_there = is_there && (seen[k] & 1) != 0;
    const unsigned begins = __ballot_sync(~0u, is_there && (seen[0] & run_begins) != 0);
    reached = begins != 0;
    nearest = reached ? static_cast<unsigned>(__ffs(static_cast<int>(begins))) - 1 : near_tiles - 1;
    missing = ~__ballot_sync(~0u, is_there) & (~0u >> (warp_size - 1 - nearest));
  } while (missing != 0);
  Acc part = Op::template identity<Acc>();
  if (lane <= nearest) {
    unsigned words[word_count];
    for (unsigned k = 0; k < word_count; ++k) {
      put(box.words[k], 0);
      words[k] = static_cast<unsigned>(seen[k] >> 32);
    }
    memcpy(&part, words, sizeof(Acc));
  }
#pragma unroll
  for (unsigned offset = 1; offset < near_tiles; offset *= 2) {
    const Acc earlier = shuffle_down(~0u, part, offset);
    if (lane + offset < warp_size) part = op(earlier, part);
  }
  return part;
}

}  // namespace workbook
