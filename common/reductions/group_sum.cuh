#pragma once
/// \file
/// Sums of neighbouring elements by a few lanes of a warp.

#include <cstddef>
#include <cstdint>

#include "reductions/block_reduce.cuh"
#include "reductions/thread_sums.cuh"
#include "reductions/vector.cuh"

namespace workbook {

/// Returns the elements of one load from `at`: 16 bytes if that is a whole number of elements, else one element. Narrow
/// elements are returned as words, because each of them would otherwise take a register.
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

/// Combines this lane's part of the `n` elements at `first` (device, aligned for T; n may be 0), which `lanes`
/// neighbouring lanes share; `lane` is this lane's number among them. Up to `depth` 16-byte loads are in flight. Counts
/// elements in the type of `n`.
template <typename Acc, unsigned depth = 4, caching Hint = caching::usual, typename T, typename Index, typename Op>
__device__ Acc lane_sum(const T* first, Index n, unsigned lane, unsigned lanes, Op op) {
  constexpr unsigned N = sizeof(uint4) % sizeof(T) == 0 ? elements_per_load<T> : 1;
  thread_sums<Acc, T, N, Op> sums(op);
  Index vectors = n;
  [[maybe_unused]] vector<1, T> early{};
  bool has_early = false;
  if constexpr (N > 1) {
    // An 8-byte T may be aligned to 4 bytes only: then no vector ever begins where an element does.
    const bool aligned = reinterpret_cast<std::uintptr_t>(first) % sizeof(T) == 0;
    const Index head = aligned ? static_cast<Index>(elements_before_vectors(first, n)) : n;
    vectors = (n - head) / N;
    const Index rest = n - vectors * N;
    // One element outside the vectors is in flight together with them.
    has_early = lane < rest;
    if (has_early) early.elements[0] = first[lane < head ? lane : lane + vectors * N];
#pragma unroll 1
    for (Index j = lane + lanes; j < rest; j += lanes) sums.add(first[j < head ? j : j + vectors * N]);
    first += head;
  }
  first += lane * N;
  const unsigned step = lanes * N;
  const auto of_round = [&](unsigned d) { return fetch<Hint>(first + d * step); };
  // All lanes of the group have the same number of iterations, so none waits for others.
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

/// As above, for few or unaligned elements: eight loads of one element are in flight, in few instructions.
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

/// Combines this lane's part of `vectors` 16-byte loads at `first` (device, aligned to 16 bytes), which `lanes` lanes
/// take without a loop, at most `Depth` each. The code is short and straight, because a short launch fetches every
/// instruction from memory. So if all lanes have `Depth` loads, none of them tests which ones it has.
template <typename Acc, unsigned Depth, caching Hint, typename T, typename Op>
__device__ Acc lane_sum_of_round(const T* first, unsigned vectors, unsigned lane, unsigned lanes, Op op) {
  constexpr unsigned N = elements_per_load<T>;
  thread_sums<Acc, T, N, Op> sums(op);
  const auto of_round = [&](unsigned d) { return fetch<Hint>(first + (lane + d * lanes) * N); };
  if (vectors == Depth * lanes) [[likely]]
    add_round<Depth>(sums, of_round, [](unsigned) { return true; });
  else
    add_round<Depth>(sums, of_round, [&](unsigned d) { return lane + d * lanes < vectors; });
  return sums.total();
}

/// Returns the number of 16-byte loads in the `n` elements at `at`. Returns 0 if that isn't a whole number, if the
/// elements don't begin at a multiple of 16 bytes, or if there are more than `Depth` loads for each of `lanes` lanes.
template <unsigned Depth, typename T>
__device__ unsigned vectors_of_round(const T* at, unsigned n, unsigned lanes) {
  if constexpr (sizeof(uint4) % sizeof(T) != 0 || sizeof(T) == sizeof(uint4)) {
    return 0;
  } else {
    constexpr unsigned N = elements_per_load<T>;
    const bool fits = n % N == 0 && n <= Depth * lanes * N && reinterpret_cast<std::uintptr_t>(at) % sizeof(uint4) == 0;
    return fits ? n / N : 0;
  }
}

/// Combines a lane's part of a piece of few elements, if all pieces are equally long. Loads the elements from where
/// they would then be, and compares that with `limits` afterwards. If they disagree, returns false without having
/// waited for the elements. A thread whose `lane` is 32 or more has no part.
template <typename Acc, typename T, typename Pieces, typename Op>
__device__ bool has_sum_of_few(const T* in, const Pieces& pieces, std::size_t piece, typename Pieces::limits limits,
                               unsigned lane, Acc& sum, Op op) {
  constexpr unsigned most = 4;  // per lane, one by one, whatever their alignment
  const unsigned equal = pieces.equal_length();
  if (equal == 0 || equal > most * warp_size) return false;
  const T* const at = in + pieces.address(piece, piece * equal);
  vector<1, T> v[most];
  const auto there = [&](unsigned d) { return lane < warp_size && lane + d * warp_size < equal; };
#pragma unroll
  for (unsigned d = 0; d < most; ++d)
    if (there(d)) v[d].elements[0] = at[lane + d * warp_size];
  if (!pieces.are_equal(piece, limits)) return false;
  sum = Op::template identity<Acc>();
#pragma unroll
  for (unsigned d = 0; d < most; ++d)
    if (there(d)) sum = op(sum, static_cast<Acc>(v[d].elements[0]));
  return true;
}

}  // namespace workbook
