#pragma once
/// \file
/// The experiments that run chapter 11's kernels, and the chapter's table of them.

#include <string>

#include "11_launch_bounds/sums_kernel.hpp"
#include "workbook/study.hpp"

namespace chapter11 {

/// The layout of the rows of `big` in memory.
enum class rows {
  whole_vectors,  ///< Each row begins at a multiple of 16 bytes.
  packed          ///< Each begins where the previous one ends. No wide load is legal unless that is a multiple of 16.
};

/// Makes a row of the table. `terms` is the length of `small`. If `per_vector`, each thread handles N points.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, sums_kernel kernel, bool per_vector,
                                          unsigned terms = 0, rows layout = rows::whole_vectors);

/// Returns the chapter's table, with all rows.
[[nodiscard]] workbook::study table_of_versions();

/// Odd, so that no wide load covers the last term.
inline constexpr unsigned terms_on_emulator = 33;
inline constexpr unsigned terms_on_gpu = 127;

}  // namespace chapter11
