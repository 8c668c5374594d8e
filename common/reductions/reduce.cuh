#pragma once
/// \file
/// The last reduction of the book: any trivially copyable type, any operator, any size and alignment, in one launch.

#include <cstddef>
#include <type_traits>

#include "reductions/block_reduce.cuh"
#include "reductions/mailbox.cuh"
#include "reductions/operators.cuh"
#include "reductions/reduce_input.cuh"
#include "reductions/reduce_shape.cuh"
#include "reductions/thread_sums.cuh"

namespace workbook {

/// Returns vector `k` of `input`, as words if the input offers them.
template <caching Hint, typename Input, typename Index>
__device__ auto fetch_vector(const Input& input, Index k) {
  if constexpr (requires { input.template get_words<Hint>(k); })
    return input.template get_words<Hint>(k);
  else
    return input.template get_vector<Hint>(k);
}

/// Combines a thread's share of the input, with `Depth` loads in flight; no share has more loads if `OneRound`.
template <unsigned Depth, bool OneRound, caching Hint, typename Acc, typename Input, typename Op>
__device__ Acc thread_reduce(const Input& input, Op op) {
  constexpr unsigned N = Input::per_vector;
  // A small input is counted in 32 bits, with fewer instructions.
  using index = std::conditional_t<OneRound, unsigned, std::size_t>;
  const index threads = index{gridDim.x} * blockDim.x;
  const index thread = index{blockIdx.x} * blockDim.x + threadIdx.x;
  const index vectors = static_cast<index>(input.vectors);
  thread_sums<Acc, typename Input::value_type, N, Op> sums(op);

  // The slow path: elements before the first vector and after the last. If there are vectors, at most one per thread.
  for (index j = thread; j < static_cast<index>(input.n) - vectors * N; j += threads) {
    sums.add(input[j < input.head ? j : j + vectors * N]);
    if constexpr (OneRound) break;
  }

  // The fast path.
  if constexpr (Input::has_vectors) {
    index i = thread;
    const auto fetch = [&](unsigned d) { return fetch_vector<Hint>(input, i + d * threads); };
    if constexpr (!OneRound)
      for (; i + (Depth - 1) * threads < vectors; i += Depth * threads)
        add_round<Depth>(sums, fetch, [](unsigned) { return true; });
    add_round<Depth>(sums, fetch, [&](unsigned d) { return i + d * threads < vectors; });
  }
  return sums.total();
}

/// The largest number of threads of a block that reduces to an Acc, limited by the registers that each of them needs.
template <typename Acc>
inline constexpr unsigned max_threads_per_block = 1024;

/// Combines a thread's share of an array that has at most `Depth` loads for each of `BlockSize` threads. All of these
/// are in flight together, and so is the thread's element outside the vectors.
template <unsigned BlockSize, unsigned Depth, caching Hint, typename Acc, typename Input, typename Op>
__device__ Acc thread_reduce_at_once(const Input& input, Op op) {
  constexpr unsigned N = Input::per_vector;
  using element = typename Input::value_type;
  const unsigned thread = threadIdx.x, vectors = static_cast<unsigned>(input.vectors);
  const unsigned head = static_cast<unsigned>(input.head), rest = static_cast<unsigned>(input.n) - vectors * N;
  thread_sums<Acc, element, N, Op> sums(op);
  element beside{};
  const bool has_beside = thread < rest;
  const auto fetch_beside = [&] {
    if (has_beside) beside = input[thread < head ? thread : thread + vectors * N];
  };
  if constexpr (Input::has_vectors) {
    const auto fetch = [&](unsigned d) { return fetch_vector<Hint>(input, thread + d * BlockSize); };
    // If all threads have all of their loads and there is no other element, no load needs a test.
    if (vectors == BlockSize * Depth && rest == 0) {
      add_round<Depth>(sums, fetch, [](unsigned) { return true; });
      return sums.total();
    }
    fetch_beside();
    add_round<Depth>(sums, fetch, [&](unsigned d) { return thread + d * BlockSize < vectors; });
  } else {
    fetch_beside();
  }
  if (has_beside) sums.add(beside);
  return sums.total();
}

/// Stores the reduction of `input` in `*out` (device). There is one block, and each of its threads takes at most
/// `Depth` loads and one other element. It needs no mailbox and less code.
template <unsigned BlockSize, unsigned Depth, caching Hint, typename Input, typename Acc, typename Out, typename Op>
__global__ void __launch_bounds__(BlockSize) reduce_one_block(Input input, Out* out, mailbox<Acc>*, Op op) {
  const Acc sum = block_reduce_of<BlockSize>(thread_reduce_at_once<BlockSize, Depth, Hint, Acc>(input, op), op);
  if (threadIdx.x == 0) *out = static_cast<Out>(sum);
}

/// Stores the reduction of `input` in `*out` (device). If the grid has more than one block, `boxes` has a mailbox for
/// each but the last. The order of all operations is fixed by the launch shape.
template <unsigned Depth, bool OneRound, caching Hint, typename Input, typename Acc, typename Out, typename Op>
__global__ void __launch_bounds__(max_threads_per_block<Acc>)  // each of 1024 may have 64 registers
    reduce_one_launch(Input input, Out* out, mailbox<Acc>* boxes, Op op) {
  const unsigned tid = threadIdx.x;
  const unsigned others = gridDim.x - 1;
  Acc sum = block_reduce(thread_reduce<Depth, OneRound, Hint, Acc>(input, op), op);
  if (blockIdx.x < others) {
    if (tid == 0) send(boxes[blockIdx.x], sum);
    return;
  }
  if (others > 0) {
    // The last block waits for the others. It takes one place on the device, so they can run in all other places.
    if (tid != 0) sum = Op::template identity<Acc>();
    for (unsigned i = tid; i < others; i += blockDim.x) sum = op(sum, receive(boxes[i]));
    __syncthreads();  // the tile of block_reduce is free again
    sum = block_reduce(sum, op);
  }
  if (tid == 0) *out = static_cast<Out>(sum);
}

/// Returns how many bytes of workspace `reduce` needs on the current device, whatever the size of its input.
template <typename Acc>
std::size_t reduce_workspace_bytes() {
  return max_blocks_per_multiprocessor * std::size_t{multiprocessor_count()} * sizeof(mailbox<Acc>);
}

/// The case that a kernel of `reduce` is made for, in the terms of `reduce_shape`.
struct reduce_kernel_use {
  unsigned depth;
  bool one_round, one_block;
  unsigned block_size = 0;  ///< The size of the only block, or 0 if blocks may have any size.
  friend constexpr bool operator==(const reduce_kernel_use&, const reduce_kernel_use&) = default;
};

/// Calls `f(use, kernel)` for each kernel that `reduce` may launch.
template <typename Input, typename Acc, typename Out, typename Op, typename F>
void for_each_reduce_kernel(F f) {
  if constexpr (is_array<Input>) {
    const auto alone = [&]<unsigned BlockSize, unsigned Depth>() {
      f(reduce_kernel_use{Depth, true, true, BlockSize},
        reduce_one_block<BlockSize, Depth, caching::usual, Input, Acc, Out, Op>);
    };
    constexpr unsigned most = alone_with_four<Input> ? 4 : 2;
    alone.template operator()<64, 2>();
    alone.template operator()<256, most>();
    alone.template operator()<1024, most>();
    f(reduce_kernel_use{2, true, false}, reduce_one_launch<2, true, caching::streaming, Input, Acc, Out, Op>);
  }
  constexpr unsigned most = max_in_flight<Input>;
  f(reduce_kernel_use{2, false, false}, reduce_one_launch<2, false, caching::streaming, Input, Acc, Out, Op>);
  f(reduce_kernel_use{most, false, false}, reduce_one_launch<most, false, caching::usual, Input, Acc, Out, Op>);
}

/// As `reduce` below, launched in `shape`, which `shape_of` must have returned for `input`.
template <typename Acc, typename Input, typename Out, typename Op>
void reduce_in_shape(const reduce_shape& shape, const Input& input, Out* out, void* workspace, cudaStream_t stream,
                     Op op) {
  const reduce_kernel_use wanted{shape.depth, shape.one_round, shape.alone, shape.alone ? shape.block_size : 0};
  for_each_reduce_kernel<Input, Acc, Out, Op>([&](const reduce_kernel_use& use, auto* kernel) {
    if (use != wanted) return;
    kernel<<<shape.grid_size, shape.block_size, 0, stream>>>(input, out, static_cast<mailbox<Acc>*>(workspace), op);
  });
}

/// Reduces `input` (an array, or as in reduce_input.cuh) with `op` into `*out` (device), in one launch on `stream`.
/// Values are converted to Acc first, and integers wrap in it; the result is converted to Out. `workspace` (device,
/// aligned to 8 bytes) has `reduce_workspace_bytes<Acc>()` bytes, is zeroed once, and serves one call at a time. Equal
/// calls on equal devices give equal bits. Does not synchronise or allocate. cudaGetLastError returns errors.
template <typename Acc, reducible Input, typename Out, reduction_operator<Acc> Op = plus>
void reduce(const Input& input, Out* out, void* workspace, cudaStream_t stream = nullptr, Op op = {}) {
  static_assert(std::is_trivially_copyable_v<Acc>);
  reduce_in_shape<Acc>(shape_of_reduce(input), input, out, workspace, stream, op);
}

/// As above, for the `n` elements at `in` (device, aligned for T; n may be 0 or beyond 2^32).
template <typename Acc, typename T, typename Out, reduction_operator<Acc> Op = plus>
void reduce(const T* in, Out* out, std::size_t n, void* workspace, cudaStream_t stream = nullptr, Op op = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  reduce<Acc>(reduce_input<T>(in, n), out, workspace, stream, op);
}

}  // namespace workbook
