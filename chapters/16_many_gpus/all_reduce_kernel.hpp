#pragma once
/// \file
/// The contract of chapter 16's kernels, by itself: a file with kernels in it is compiled sooner.

#include <array>

#include <cuda_runtime_api.h>

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

}  // namespace chapter16
