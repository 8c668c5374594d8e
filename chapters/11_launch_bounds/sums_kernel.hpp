#pragma once
/// \file
/// The interface of chapter 11's kernels. It is a separate header because files with kernels compile faster with it.

#include <array>
#include <cstddef>

namespace chapter11 {

/// A kernel (const T* big, const T* small, T* out, unsigned points, unsigned terms, std::size_t pitch) for each element
/// type, in the order of `workbook::element_type`.
struct sums_kernel {
  std::array<const void*, 5> kernels{};
  bool attempted = true;
};

sums_kernel solution_kernel();
sums_kernel exercise_kernel();

/// A version (base, wide_small or wide_both) without launch bounds, with (1024, 1), and with (512, 2).
struct versions {
  sums_kernel unbounded, one_of_1024, two_of_512;
};
versions base_versions();
versions wide_small_versions();
versions wide_both_versions();

}  // namespace chapter11
