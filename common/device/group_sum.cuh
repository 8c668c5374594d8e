#pragma once
/// \file
/// What a few lanes of a warp make of neighbouring elements.

#include <cstddef>
#include <cstdint>

#include "device/block_reduce.cuh"
#include "device/thread_sums.cuh"
#include "device/vector.cuh"

namespace workbook {

/// Returns what one load brings of the elements at `at`: 16 bytes where they make up a whole number of elements, and as
/// words where each element would take a register of its own.
template <caching Hint, typename T>
__device__ auto fetch(const T* at) {
  constexpr unsigned N = sizeof(uint4) % sizeof(T) == 0 ? elements_per_load<T> : 1;
  if constexpr (N == 1)
    return vector<1, T>{*at};
  else if constexpr (sizeof(T) < sizeof(unsigned))
    return bits_as<uint4>(load<N, Hint>(at));
  else
    return load<N, Hint>(at);
}

/// Combines this lane's part of the `n` elements at `first` (device, aligned for T; n may be 0), of which `lanes`
/// neighbouring lanes take every one; `lane` is which of them this is. `depth` loads of 16 bytes in flight. Counts in
/// the type of `n`.
template <typename Acc, unsigned depth = 4, caching Hint = caching::usual, typename T, typename Index, typename Op>
__device__ Acc lane_sum(const T* first, Index n, unsigned lane, unsigned lanes, Op op) {
  constexpr unsigned N = sizeof(uint4) % sizeof(T) == 0 ? elements_per_load<T> : 1;
  thread_sums<Acc, T, N, Op> sums(op);
  Index vectors = n;
  [[maybe_unused]] vector<1, T> early{};
  bool has_early = false;
  if constexpr (N > 1) {
    // A T of 8 bytes may stand at any multiple of 4: then no vector ever begins where an element does.
    const bool aligned = reinterpret_cast<std::uintptr_t>(first) % sizeof(T) == 0;
    const Index head = aligned ? static_cast<Index>(elements_before_vectors(first, n)) : n;
    vectors = (n - head) / N;
    const Index rest = n - vectors * N;
    // One element beside the vectors is on its way together with them.
    has_early = lane < rest;
    if (has_early) early.elements[0] = first[lane < head ? lane : lane + vectors * N];
#pragma unroll 1
    for (Index j = lane + lanes; j < rest; j += lanes) sums.add(first[j < head ? j : j + vectors * N]);
    first += head;
  }
  first += lane * N;
  const unsigned step = lanes * N;
  const auto of_round = [&](unsigned d) { return fetch<Hint>(first + d * step); };
  // The same number of rounds for all lanes of the group: none waits for another's last.
  for (; vectors >= depth * lanes; vectors -= depth * lanes) {
    add_round<depth>(sums, of_round, [](unsigned) { return true; });
    first += depth * step;
  }
  const auto left = static_cast<unsigned>(vectors);
  if (left > 0) add_round<depth>(sums, of_round, [&](unsigned d) { return lane + d * lanes < left; });
  if constexpr (N > 1)
    if (has_early) sums.add(early.elements[0]);
  return sums.total();
}

/// As above, for few elements or such as begin anywhere: eight loads of one element in flight, in few instructions.
template <typename Acc, typename T, typename Op>
__device__ Acc lane_sum_of_few(const T* first, unsigned n, unsigned lane, unsigned lanes, Op op) {
  constexpr unsigned depth = 8;
  Acc sum = Op::template identity<Acc>();
  for (unsigned i = lane; i < n; i += depth * lanes) {
    vector<1, T> v[depth];
#pragma unroll
    for (unsigned d = 0; d < depth; ++d)
      if (i + d * lanes < n) v[d].elements[0] = first[i + d * lanes];
#pragma unroll
    for (unsigned d = 0; d < depth; ++d)
      if (i + d * lanes < n) sum = op(sum, static_cast<Acc>(v[d].elements[0]));
  }
  return sum;
}

/// Where the elements of a piece are.
struct extent {
  std::size_t first, n;
};

/// Sums a lane's part of piece `piece`, and sets `n`, its length. `sum(where)` does so once it is known where the piece
/// is.
///
/// Segments may all be equally long. Then their elements are asked for while the offsets, which must agree, are still
/// on their way: one journey to memory in place of two. `lanes_for(length)` lanes share a piece of that length, this
/// one is `lane` of the threads that may; all of them call it. Where the offsets disagree, nothing waits for those
/// elements.
template <typename Acc, unsigned Depth, caching Hint, typename T, typename Pieces, typename Lanes, typename Op,
          typename Sum>
__device__ Acc sum_of_piece(const T* in, const Pieces& pieces, std::size_t piece, unsigned lane, Lanes lanes_for, Op op,
                            std::size_t& n, Sum sum) {
  if constexpr (requires { pieces.equal_length; }) {
    constexpr unsigned N = sizeof(uint4) % sizeof(T) == 0 ? elements_per_load<T> : 1;
    constexpr unsigned few = 4;  // elements per lane that are read one by one, wherever they begin
    const auto begin = pieces.offsets[piece], end = pieces.offsets[piece + 1];
    const unsigned equal = pieces.equal_length, lanes = lanes_for(equal);
    const std::size_t guess = piece * equal;
    const T* const at = in + guess;
    // The offsets are not looked at before the elements have been asked for.
    const auto is_right = [&] {
      return static_cast<std::size_t>(begin) == guess && static_cast<std::size_t>(end) == guess + equal;
    };
    if (0 < equal && equal <= few * warp_size) {
      vector<1, T> v[few];
      const auto there = [&](unsigned d) { return lane < warp_size && lane + d * warp_size < equal; };
#pragma unroll
      for (unsigned d = 0; d < few; ++d)
        if (there(d)) v[d].elements[0] = at[lane + d * warp_size];
      if (is_right()) {
        n = equal;
        Acc found = Op::template identity<Acc>();
#pragma unroll
        for (unsigned d = 0; d < few; ++d)
          if (there(d)) found = op(found, static_cast<Acc>(v[d].elements[0]));
        return found;
      }
    } else if (N > 1 && equal % N == 0 && 0 < equal && equal <= Depth * lanes * N &&
               reinterpret_cast<std::uintptr_t>(at) % sizeof(uint4) == 0) {
      decltype(fetch<Hint>(at)) v[Depth];
      const auto there = [&](unsigned d) { return lane < lanes && lane + d * lanes < equal / N; };
#pragma unroll
      for (unsigned d = 0; d < Depth; ++d)
        if (there(d)) v[d] = fetch<Hint>(at + (lane + d * lanes) * N);
      if (is_right()) {
        n = equal;
        thread_sums<Acc, T, N, Op> sums(op);
#pragma unroll
        for (unsigned d = 0; d < Depth; ++d)
          if (there(d)) sums.add(v[d]);
        return sums.total();
      }
    }
    n = static_cast<std::size_t>(end) - static_cast<std::size_t>(begin);
    return sum(extent{static_cast<std::size_t>(begin), n});
  } else {
    const std::size_t first = pieces.begin(piece);
    n = pieces.end(piece) - first;
    return sum(extent{first, n});
  }
}

}  // namespace workbook
