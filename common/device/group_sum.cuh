#pragma once
/// \file
/// What a few lanes of a warp make of neighbouring elements.

#include <cstddef>
#include <cstdint>

#include "device/block_reduce.cuh"
#include "device/thread_sums.cuh"
#include "device/vector.cuh"

namespace workbook {

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
  const auto fetch = [](const T* at) {
    if constexpr (N == 1)
      return vector<1, T>{*at};
    else if constexpr (sizeof(T) < sizeof(unsigned))
      return bits_as<uint4>(load<N, Hint>(at));
    else
      return load<N, Hint>(at);
  };
  first += lane * N;
  const unsigned step = lanes * N;
  const auto round = [&](auto there) {
    decltype(fetch(first)) v[depth];
#pragma unroll
    for (unsigned d = 0; d < depth; ++d)
      if (there(d)) v[d] = fetch(first + d * step);
#pragma unroll
    for (unsigned d = 0; d < depth; ++d)
      if (there(d)) sums.add(v[d]);
  };
  // The same number of rounds for all lanes of the group: none waits for another's last.
  for (; vectors >= depth * lanes; vectors -= depth * lanes) {
    round([](unsigned) { return true; });
    first += depth * step;
  }
  const auto left = static_cast<unsigned>(vectors);
  if (left > 0) round([&](unsigned d) { return lane + d * lanes < left; });
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

}  // namespace workbook
