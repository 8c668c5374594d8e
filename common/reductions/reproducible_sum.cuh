#pragma once
/// \file
/// Sums of floats or doubles, with the same bits on every device in every launch shape, in one launch.

#include <algorithm>
#include <concepts>
#include <cstddef>

#include "reductions/binned_sum.cuh"
#include "reductions/reduce.cuh"

namespace workbook {

/// Adds elements to a binned sum. The elements of a round of loads are added together: the bins change once per round.
template <std::floating_point T, unsigned Bins, unsigned N>
class thread_sums<binned_sum<T, Bins>, T, N, plus_binned> {
 public:
  __device__ explicit thread_sums(plus_binned) : sum_(binned_sum<T, Bins>::zero()) {}
  __device__ void add(T element) { sum_.add(element); }
  /// Adds the elements of each vector `round[d]` for which `there(d)` is true.
  template <unsigned Depth>
  __device__ void add(const vector<N, T> (&round)[Depth], auto there) {
    T elements[Depth * N];
    for (unsigned e = 0; e < Depth * N; ++e) elements[e] = there(e / N) ? round[e / N].elements[e % N] : T{0};
    sum_.add(elements);
  }
  __device__ binned_sum<T, Bins> total() const { return sum_; }

 private:
  binned_sum<T, Bins> sum_;
};

template <typename T, unsigned Bins, unsigned N>
inline constexpr bool takes_rounds<thread_sums<binned_sum<T, Bins>, T, N, plus_binned>> = true;

/// With bins of doubles, four loads take 72 registers. Blocks of 1024 threads would spill some of them.
template <unsigned Bins>
inline constexpr unsigned max_threads_per_block<binned_sum<double, Bins>> = 512;

/// Calls `f(depth, one_round, kernel)` for each kernel that `reproducible_sum` may launch.
template <std::floating_point T, unsigned Bins, typename Out, typename F>
void for_each_reproducible_kernel(F f) {
  using input = reduce_input<T>;
  using sum = binned_sum<T, Bins>;
  f(2u, true, reduce_one_launch<2, true, caching::streaming, input, sum, Out, plus_binned>);
  f(2u, false, reduce_one_launch<2, false, caching::streaming, input, sum, Out, plus_binned>);
  f(4u, false, reduce_one_launch<4, false, caching::usual, input, sum, Out, plus_binned>);
}

/// Returns the launch shape for an input on the current device, similar to that of `reduce`. Tuned on an H200.
template <std::floating_point T>
reduce_shape shape_of_reproducible_sum(const reduce_input<T>& input) {
  const std::size_t loads = loads_of(input);
  // A single block may have fewer threads here than in `reduce`, and a kernel without a loop may have fewer loads.
  if (shape_of_reduce(input).alone && loads <= 1024) {
    const std::size_t warps = std::max(std::size_t{1}, ceil_div(loads, loads <= 256 ? warp_size : 2 * warp_size));
    return {1, static_cast<unsigned>(warps) * warp_size, 2, true};
  }
  // Merging bins takes longer than adding numbers, so there are few blocks, each with much to read. Only for arrays
  // larger than the caches do several share a multiprocessor, so that some keep reading while one merges.
  const unsigned multiprocessors = multiprocessor_count();
  const auto blocks = [&](unsigned block_size, unsigned most) {
    return static_cast<unsigned>(std::clamp<std::size_t>(loads / (block_size * 4), 1, most));
  };
  if (input.n * sizeof(T) > 8 * l2_cache_bytes()) {
    if (sizeof(T) == sizeof(double)) return {8 * multiprocessors, 256, 4, false};
    return {2 * multiprocessors, 512, 4, false};
  }
  if (loads <= std::size_t{multiprocessors} * 512 * 4) return {blocks(256, multiprocessors), 256, 4, false};
  return {blocks(512, multiprocessors), 512, 4, false};
}

/// As below, in a launch shape that the caller chooses: `depth` and `one_round` as in for_each_reproducible_kernel, and
/// no more blocks than a workspace has mailboxes. If there is no such kernel, returns false without a launch.
template <unsigned Bins, std::floating_point T, typename Out>
bool reproducible_sum_in_shape(const reduce_shape& shape, const reduce_input<T>& input, Out* out, void* workspace,
                               cudaStream_t stream) {
  bool launched = false;
  for_each_reproducible_kernel<T, Bins, Out>([&](unsigned depth, bool one_round, auto* kernel) {
    if (depth != shape.depth || one_round != shape.one_round) return;
    kernel<<<shape.grid_size, shape.block_size, 0, stream>>>(
        input, out, static_cast<mailbox<binned_sum<T, Bins>>*>(workspace), plus_binned{});
    launched = true;
  });
  return launched;
}

/// Returns how many bytes of workspace `reproducible_sum` needs on the current device, whatever the size of its input.
template <std::floating_point T, unsigned Bins = 3>
std::size_t reproducible_sum_workspace_bytes() {
  return reduce_workspace_bytes<binned_sum<T, Bins>>();
}

/// Sums the `n` elements at `in` (device, aligned for T; n may be 0 or beyond 2^32) into `*out` (device). The result is
/// a T or a binned_sum<T, Bins>. The binned sums of several parts can be merged, on any device or host, and give the
/// same bits as one call for all elements. `workspace` (device, aligned to 8 bytes) has
/// `reproducible_sum_workspace_bytes<T, Bins>()` bytes, is zeroed once, and serves one call at a time. One launch on
/// `stream`; does not synchronise or allocate. cudaGetLastError returns errors.
///
/// The bits of the result depend only on the elements, including subnormal ones.
/// They don't depend on the order, the device, the launch shape or nvcc's options
/// (--use_fast_math, -fmad). For the error bound, infinities and NaN see binned_sum.
template <unsigned Bins = 3, std::floating_point T, typename Out>
requires(std::same_as<Out, T> ||
         std::same_as<Out, binned_sum<T, Bins>>) void reproducible_sum(const T* in, Out* out, std::size_t n,
                                                                       void* workspace, cudaStream_t stream = nullptr) {
  const reduce_input<T> input(in, n);
  (void)reproducible_sum_in_shape<Bins>(shape_of_reproducible_sum(input), input, out, workspace, stream);
}

}  // namespace workbook
