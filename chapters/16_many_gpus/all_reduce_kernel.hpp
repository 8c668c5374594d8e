#pragma once
/// \file
/// The contract of chapter 16's kernels, by itself: a file with kernels in it is compiled sooner.

#include <array>

#include <cuda_runtime_api.h>

namespace workbook {
enum class element_type;  // its header has <string>: 0.4 of 1.1 s of nvcc
}

namespace chapter16 {

/// A kernel (members<T> all, unsigned me, unsigned step, unsigned count) for each element type, in the order of
/// `workbook::element_type`.
struct all_reduce_kernel {
  std::array<const void*, 5> kernels{};
  bool attempted = true;
  bool of_neighbours = false;  ///< It reads its left neighbour's vector alone: nobody else need be waited for.
};

all_reduce_kernel solution_kernel();
all_reduce_kernel exercise_kernel();

/// Kernels (T* own, const T* others, unsigned count) that add `count` elements to their own, for each element type.
std::array<const void*, 5> adding_kernels();

/// What a mailbox of `mailbox_exchange` has room for: a word of 4 bytes of a value in the upper half, and in the lower
/// one the number of the call that it belongs to. One access brings both, so there is nothing to wait for in between.
using letter = unsigned long long;

/// Kernels for one element type that do an all-reduce in one launch per GPU, in mailbox_exchange.cuh and
/// share_exchange.cuh. They have parameters (members<T> all, P*[8] inboxes, unsigned me, unsigned call, unsigned
/// count).
struct exchange_kernels {
  const void* by_mailboxes = nullptr;
  const void* by_shares = nullptr;
};
exchange_kernels exchange_kernels_for(workbook::element_type type);

// Of the ways to call an all-reduce of short vectors (scaling/short_kernels.cu).

/// A kernel (members<float> all, mailboxes boxes, unsigned* called, unsigned me, unsigned count, unsigned rounds): an
/// exchange by mailboxes as in mailbox_exchange.cuh, `rounds` of them behind each other. Nobody tells it the number of
/// the call: each thread counts its own in `called`, so that a graph can pass the same parameters every time. Let the
/// next one in its stream begin early, where that was launched so.
/// \param gives_up  whether a letter that does not come ends the wait after some seconds, with a wrong sum
const void* counting_mailbox_kernel(bool gives_up);

/// A kernel (members<float> all, unsigned count) that one GPU runs for all: it loads from all vectors, and stores into
/// all.
const void* serving_kernel();

}  // namespace chapter16
