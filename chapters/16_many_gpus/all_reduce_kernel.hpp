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

}  // namespace chapter16
