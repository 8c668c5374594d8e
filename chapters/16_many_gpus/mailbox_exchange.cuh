#pragma once
/// \file
/// Chapter 16: all-reduce of short vectors in one step. Every value travels with the number of the call.

#include <cstring>

#include <cuda/atomic>

#include "16_many_gpus/all_reduce_kernel.hpp"
#include "16_many_gpus/members.cuh"
#include "workbook/dependent_launch.cuh"

namespace chapter16 {

/// Mailboxes for `count` values of `words` words from each GPU, two sets of them, used in turns: who is in the next
/// call has had what was sent in this one, but may not have had time to look at what is sent in the next but one.
struct mailboxes {
  letter* box[workbook::most_members];  ///< Device: box[d] lies in the memory of GPU d. Zeroed once.
};

/// Returns where word `word` of element `i` from GPU `from` lies in a GPU's mailboxes.
__host__ __device__ inline unsigned place_of(unsigned call, unsigned from, unsigned word, unsigned i, unsigned devices,
                                             unsigned words, unsigned count) {
  return ((call % 2 * devices + from) * words + word) * count + i;
}

/// After it, each of the `count` elements of this GPU's vector is the sum of those that stood in its place on all GPUs.
/// Call number `call` of GPU `me`, from 1 on. To be launched on every GPU, with a thread for each element; nobody
/// need wait for anybody before. May be launched before the last call in its stream has ended.
template <typename T>
__global__ void mailbox_exchange(workbook::members<T> all, mailboxes boxes, unsigned me, unsigned call,
                                 unsigned count) {
  constexpr unsigned words = sizeof(T) / sizeof(unsigned);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  // Above it stands nothing that the last call writes. Below it all is as if that had ended before: it has read its
  // letters and written its sums, so two sets of boxes are enough here, too. The next call may begin, but no earlier
  // than all blocks here have: it takes no place from one that it waits for, on this GPU or, by letters, on another.
  workbook::let_the_next_begin_and_wait_for_the_last();
  if (i >= count) return;
  const auto box = [&](unsigned at, unsigned from, unsigned word) {
    return cuda::atomic_ref<letter, cuda::thread_scope_system>(
        boxes.box[at][place_of(call, from, word, i, all.devices, words, count)]);
  };
  const T own = all.vector[me][i];
  unsigned halves[words];
  memcpy(halves, &own, sizeof own);
  for (unsigned d = 0; d < all.devices; ++d)
    for (unsigned w = 0; d != me && w < words; ++w)
      box(d, me, w).store(static_cast<letter>(halves[w]) << 32 | call, cuda::memory_order_relaxed);

  T sum = 0;
  for (unsigned d = 0; d < all.devices; ++d) {  // in this order everywhere: all GPUs have the same bits
    T value = own;
    if (d != me) {
      for (unsigned w = 0; w < words; ++w) {
        letter seen = 0;
        while (static_cast<unsigned>(seen) != call) seen = box(me, d, w).load(cuda::memory_order_relaxed);
        halves[w] = static_cast<unsigned>(seen >> 32);
      }
      memcpy(&value, halves, sizeof value);
    }
    sum += value;
  }
  all.vector[me][i] = sum;
}

}  // namespace chapter16
