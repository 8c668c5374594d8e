#pragma once
/// \file
/// The reduction that the book ends with: any trivially copyable type, any operator, any size and start, one launch.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "device/block_reduce.cuh"
#include "device/launch.cuh"
#include "device/operators.cuh"
#include "device/reduce_input.cuh"

namespace workbook {

/// How a reduction is launched.
struct reduce_shape {
  unsigned grid_size = 1;
  unsigned block_size = 256;  ///< A multiple of 32, at most 1024.
  unsigned depth = 4;         ///< Loads in flight a thread: 2, 4 or 8.
  bool contiguous = false;    ///< A block's share lies in one piece; otherwise the grid strides over the input.
};

/// Combines a thread's share of the input, `Depth` loads in flight at a time. The order is that of the addresses.
template <unsigned Depth, caching Hint, typename Acc, typename Input, typename Op>
__device__ Acc thread_reduce(const Input& input, bool contiguous, Op op) {
  constexpr unsigned N = Input::per_vector;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  Acc sums[N];
  for (unsigned k = 0; k < N; ++k) sums[k] = Op::template identity<Acc>();

  // The slow path: the elements before the first vector and behind the last, one a thread where there are vectors.
  for (std::size_t j = thread; j < input.n - input.vectors * N; j += threads)
    sums[0] = op(sums[0], static_cast<Acc>(input[j < input.head ? j : j + input.vectors * N]));

  // The fast path. Adding up comes after all loads of a round, so that they wait for memory together.
  if constexpr (Input::has_vectors) {
    const std::size_t share = contiguous ? ceil_div(input.vectors, gridDim.x) : input.vectors;
    const std::size_t step = contiguous ? blockDim.x : threads;
    std::size_t i = contiguous ? blockIdx.x * share + threadIdx.x : thread;
    const std::size_t end =
        contiguous && (blockIdx.x + 1) * share < input.vectors ? (blockIdx.x + 1) * share : input.vectors;
    const auto round = [&](auto there) {
      decltype(input.template get_vector<Hint>(i)) v[Depth];
#pragma unroll
      for (unsigned d = 0; d < Depth; ++d)
        if (there(d)) v[d] = input.template get_vector<Hint>(i + d * step);
#pragma unroll
      for (unsigned d = 0; d < Depth; ++d)
        for (unsigned k = 0; k < N; ++k)
          if (there(d)) sums[k] = op(sums[k], static_cast<Acc>(v[d].elements[k]));
    };
    for (; i + (Depth - 1) * step < end; i += Depth * step) round([](unsigned) { return true; });
    round([&](unsigned d) { return i + d * step < end; });
  }
  for (unsigned k = 1; k < N; ++k) sums[0] = op(sums[0], sums[k]);
  return sums[0];
}

/// Leaves the reduction of `input` in `*out` (device). Where the grid has more than one block, `partials` has room for
/// a value each and `*ticket` is 0; it is 0 again afterwards. The order of all operations is fixed by the launch shape.
template <unsigned Depth, caching Hint, typename Input, typename Acc, typename Out, typename Op>
__global__ void __launch_bounds__(1024)  // no more than 64 registers a thread, so 1024 threads fit on a multiprocessor
    reduce_one_launch(Input input, Out* out, Acc* partials, unsigned* ticket, bool contiguous, Op op) {
  __shared__ bool last;
  const unsigned tid = threadIdx.x;
  Acc sum = block_reduce(thread_reduce<Depth, Hint, Acc>(input, contiguous, op), op);
  if (gridDim.x > 1) {
    if (tid == 0) {
      partials[blockIdx.x] = sum;
      __threadfence();  // whoever sees this block's ticket sees its partial result
      last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;  // counts to the last block's number, then to 0
      if (last) __threadfence();                                 // the other results are read after their tickets
    }
    __syncthreads();  // all threads know whether the block is the last; the tile of block_reduce is free again
    if (!last) return;
    sum = Op::template identity<Acc>();
    for (unsigned i = tid; i < gridDim.x; i += blockDim.x) sum = op(sum, partials[i]);
    sum = block_reduce(sum, op);
  }
  if (tid == 0) *out = static_cast<Out>(sum);
}

// What `build/bin/tune` is for: the numbers in these two functions. They were found on an H200.

/// Returns the launch shape for an input on the current device.
template <typename Input>
reduce_shape shape_of_reduce(const Input& input) {
  const std::size_t loads = input.vectors + (input.n - input.vectors * Input::per_vector);
  // What one block has in flight at once is done before several blocks could agree on who is the last.
  if (loads <= 1024 * 4)
    return {1, static_cast<unsigned>(std::clamp<std::size_t>(ceil_div(loads, 32) * 32, 32, 1024)), 4};
  // Numbers that no memory gives: long rounds, one wave of blocks. By the compiler's registers, this one; not tuned.
  if (Input::bytes_per_element == 0)
    return {static_cast<unsigned>(std::min<std::size_t>(ceil_div(loads, 512), 2 * multiprocessor_count())), 512, 4};
  // The loads of two arrays take twice the registers: with 8 of each a few are spilled.
  constexpr unsigned depth = Input::per_vector * Input::bytes_per_element > sizeof(uint4) ? 4 : 8;
  // Beyond the caches what counts is how much is in flight; before, how soon the last block has heard from all others.
  if (input.n * Input::bytes_per_element > 8 * l2_cache_bytes()) return {16 * multiprocessor_count(), 1024, depth};
  return {static_cast<unsigned>(std::min<std::size_t>(ceil_div(loads, 512 * 2), 3 * multiprocessor_count())), 512, 2};
}

/// Returns how many bytes of workspace `reduce` needs on the current device, whatever the size of its input.
template <typename Acc>
std::size_t reduce_workspace_bytes() {
  return 16 + 16 * std::size_t{multiprocessor_count()} * sizeof(Acc);
}

/// Reduces `input` (as reduce_input.cuh says) with `op` into `*out` (device), with one launch on `stream`. Values are
/// converted to Acc first, and integers wrap in it; the result is converted to Out. `workspace` (device, aligned on 16
/// bytes) has `reduce_workspace_bytes<Acc>()` bytes, zeroed once, and serves one call at a time. Equal calls on equal
/// devices give equal bits. Does not synchronise or allocate. Errors are cudaGetLastError's.
template <typename Acc, reducible Input, typename Out, reduction_operator<Acc> Op = plus>
void reduce(const Input& input, Out* out, void* workspace, cudaStream_t stream = nullptr, Op op = {}) {
  static_assert(std::is_trivially_copyable_v<Acc>);
  const reduce_shape shape = shape_of_reduce(input);
  auto* const ticket = static_cast<unsigned*>(workspace);
  auto* const partials = reinterpret_cast<Acc*>(static_cast<std::byte*>(workspace) + 16);
  const auto launch = [&](auto* kernel) {
    kernel<<<shape.grid_size, shape.block_size, 0, stream>>>(input, out, partials, ticket, shape.contiguous, op);
  };
  if (shape.depth == 8) launch(reduce_one_launch<8, caching::usual, Input, Acc, Out, Op>);
  if (shape.depth == 4) launch(reduce_one_launch<4, caching::usual, Input, Acc, Out, Op>);
  if (shape.depth == 2) launch(reduce_one_launch<2, caching::streaming, Input, Acc, Out, Op>);
}

/// As above, for the `n` elements at `in` (device, aligned for T; n may be 0 or beyond 2^32).
template <typename Acc, typename T, typename Out, reduction_operator<Acc> Op = plus>
void reduce(const T* in, Out* out, std::size_t n, void* workspace, cudaStream_t stream = nullptr, Op op = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  reduce<Acc>(reduce_input<T>(in, n), out, workspace, stream, op);
}

}  // namespace workbook
