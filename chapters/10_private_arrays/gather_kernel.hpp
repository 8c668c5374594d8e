#pragma once
/// \file
/// The interface of chapter 10's kernels, in a header of its own: a file with kernels compiles faster with it.

#include <array>
#include <cstddef>

#include <cuda_runtime_api.h>

namespace chapter10 {

/// A kernel (const T* in, const unsigned* starts, T* out, std::size_t n, unsigned reads) for each element type, in the
/// order of `workbook::element_type`, and the bytes of dynamic shared memory that a block of it needs.
struct gather_kernel {
  std::array<const void*, 5> kernels{};
  std::array<std::size_t (*)(dim3 block), 5> shared_bytes{};  ///< Null if it needs none.
  bool attempted = true;
};

gather_kernel solution_kernel();
gather_kernel exercise_kernel();
gather_kernel gathers_static();
gather_kernel gathers_unrolled();
gather_kernel gathers_uniform();
gather_kernel gathers_local();
gather_kernel gathers_by_selects();
gather_kernel gathers_from_warp();

}  // namespace chapter10
