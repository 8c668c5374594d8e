#pragma once
/// \file
/// The contract of chapter 11's kernels, and the experiment that each of them is.

#include <array>
#include <string>

#include "workbook/study.hpp"

namespace chapter11 {

/// A kernel (const T* big, const T* small, T* out, unsigned points, unsigned terms, std::size_t pitch) for each element
/// type, in the order of `workbook::element_type`.
struct sums_kernel {
  std::array<const void*, 5> kernels{};
  bool attempted = true;
};

/// How the rows of `big` stand in memory.
enum class rows {
  whole_vectors,  ///< Each begins at a multiple of 16 bytes.
  packed          ///< Each begins where the one before ends: no wide load is legal unless that is such a multiple.
};

/// Makes a row of the table. `terms` is the length of `small`; `per_vector`: a thread takes N points.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, sums_kernel kernel, bool per_vector,
                                          unsigned terms = 0, rows layout = rows::whole_vectors);

/// All rows of the chapter's table.
[[nodiscard]] workbook::study table_of_versions();

/// Odd, so that no wide load covers the last term.
inline constexpr unsigned terms_on_emulator = 33;
inline constexpr unsigned terms_on_gpu = 127;

sums_kernel solution_kernel();
sums_kernel exercise_kernel();

/// The versions base, wide_small and wide_both with: no bounds, (1024, 1), (512, 2).
struct versions {
  sums_kernel unbounded, one_of_1024, two_of_512;
};
versions base_versions();
versions wide_small_versions();
versions wide_both_versions();

}  // namespace chapter11
