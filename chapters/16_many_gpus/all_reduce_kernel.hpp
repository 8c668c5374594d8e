#pragma once
/// \file
/// The interface of chapter 16's kernels. It is a separate header because files with kernels compile faster with it.

#include <array>

#include <cuda_runtime_api.h>

namespace workbook {
enum class element_type;  // its header includes <string>, which takes 0.4 of nvcc's 1.1 s
}

namespace chapter16 {

/// A kernel (members<T> all, unsigned me, unsigned step, unsigned count) for each element type, in the order of
/// `workbook::element_type`.
struct all_reduce_kernel {
  std::array<const void*, 5> kernels{};
  bool attempted = true;
  bool of_neighbours = false;  ///< True if it reads only its left neighbour's vector, so it waits only for neighbours.
};

all_reduce_kernel solution_kernel();
all_reduce_kernel exercise_kernel();

/// Kernels (T* own, const T* others, unsigned count) that add `count` elements to their own, for each element type.
std::array<const void*, 5> adding_kernels();

/// The contents of a mailbox of `mailbox_exchange`: a 4-byte word of a value in the upper half, and the number of its
/// call in the lower half. A single access reads both, so they needn't be ordered.
using letter = unsigned long long;

/// Kernels for one element type, each of which does an all-reduce in one launch
/// per GPU (mailbox_exchange.cuh and share_exchange.cuh). Their parameters are
/// (members<T> all, P*[8] inboxes, unsigned me, unsigned call, unsigned count).
struct exchange_kernels {
  const void* by_mailboxes = nullptr;
  const void* by_shares = nullptr;
};
exchange_kernels exchange_kernels_for(workbook::element_type type);

}  // namespace chapter16
