#pragma once
/// \file
/// The interface of chapter 10's kernels. It is a separate header because files with kernels compile faster with it.

#include <array>
#include <cstddef>

#include <cuda_runtime_api.h>

namespace chapter10 {

/// For each element type, in the order of `workbook::element_type`: a kernel (const T* in, const unsigned* starts, T*
/// out, std::size_t n, unsigned reads), and a function for the bytes of dynamic shared memory per block.
struct gather_kernel {
  std::array<const void*, 5> kernels{};
  std::array<std::size_t (*)(dim3 block), 5> shared_bytes{};  ///< Null if the kernel needs none.
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
