#pragma once
/// \file
/// The interface of chapter 15's kernels. It is a separate header because files with kernels compile faster with it.

#include <array>
#include <cstddef>

#include <cuda_runtime_api.h>

namespace chapter15 {

/// The number of segments that a block of the kernel handles.
enum class segments_of_block {
  as_threads,  ///< One per thread.
  as_warps,    ///< One per warp.
  one
};

/// A kernel (const T* in, const unsigned* offsets, indexed<T>* out, unsigned segments) for each element type, in the
/// order of `workbook::element_type`.
struct segments_kernel {
  std::array<const void*, 5> kernels{};
  segments_of_block share = segments_of_block::as_threads;
  bool attempted = true;
};

segments_kernel solution_kernel();
segments_kernel exercise_kernel();
segments_kernel by_threads();
segments_kernel by_warps();
segments_kernel by_blocks();

/// The book's own reduction of segments, in equal shares of elements and ends. It returns values without indices.
struct equal_shares {
  /// (in, offsets, out, segments, n, workspace): stores the largest values, each a T, in `out`.
  using call = void (*)(const void*, const unsigned*, void*, std::size_t, std::size_t, void*);
  std::array<call, 5> calls{};
  std::array<std::size_t (*)(), 5> workspace_bytes{};
};
equal_shares largest_by_equal_shares();

}  // namespace chapter15
