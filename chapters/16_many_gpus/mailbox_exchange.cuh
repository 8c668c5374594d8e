#pragma once
/// \file
/// Chapter 16: all-reduce of short vectors in one step. Every value is sent together with the number of the call.

#include <cstring>

#include <cuda/atomic>

#include "16_many_gpus/all_reduce_kernel.hpp"
#include "16_many_gpus/members.cuh"
#include "workbook/dependent_launch.cuh"

namespace chapter16 {

/// Two sets of mailboxes, for alternate calls, each with `count` values of `words` words from each GPU. A GPU that is
/// in the next call has received the values of this call, but may not be ready for those of the call after the next.
struct mailboxes {
  letter* box[workbook::max_members];  ///< Device: box[d] is in the memory of GPU d. Zeroed once.
};

/// Returns the index, in a GPU's mailboxes, of word `word` of element `i` from GPU `from`.
__host__ __device__ inline unsigned place_of(unsigned call, unsigned from, unsigned word, unsigned i, unsigned devices,
                                             unsigned words, unsigned count) {
  return ((call % 2 * devices + from) * words + word) * count + i;
}

/// Replaces each of the `count` elements of this GPU's vector by the sum of the elements in that place on all GPUs.
/// This is call number `call` of GPU `me`, counted from 1. Launch it on every GPU, with a thread for each element. GPUs
/// need not wait for each other first, and it may be launched before the previous call in its stream has ended.
template <typename T>
__global__ void mailbox_exchange(workbook::members<T> all, mailboxes boxes, unsigned me, unsigned call,
                                 unsigned count) {
  constexpr unsigned words = sizeof(T) / sizeof(unsigned);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  // Code above this line reads nothing that the previous call writes. After it, the previous call has read its letters
  // and written its sums, so two sets of boxes are enough here, too. The next call may begin as soon as all blocks here
  // have begun, so it takes no slot from a block that it waits for, be it on this GPU or, through letters, on another.
  workbook::trigger_and_wait_dependents();
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
  for (unsigned d = 0; d < all.devices; ++d) {  // in the same order everywhere, so all GPUs get the same bits
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
