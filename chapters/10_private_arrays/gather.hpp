#pragma once
/// \file
/// The experiment that each of chapter 10's kernels is.

#include <cstddef>
#include <string>

#include "10_private_arrays/gather_kernel.hpp"
#include "workbook/study.hpp"

namespace chapter10 {

/// Where threads begin to read their arrays.
enum class order {
  fixed,    ///< At element 0.
  uniform,  ///< All at the same one, which only the run knows.
  random,   ///< Each at its own, by chance.
  worst     ///< Lane l at element l: no two lanes of a warp alike.
};

/// Whose arrays they are.
enum class owner { thread, warp };

/// Makes a row of the table.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, gather_kernel kernel, order starts,
                                          owner whose = owner::thread);

/// All rows of the chapter's table: the ways that it compares, the reference, and the exercise.
[[nodiscard]] workbook::study table_of_arrays();

/// Accesses of each thread: an odd multiple of 32. In an even one each element is read as often as what replaces it,
/// weight - element, and the sum is the same for every input.
inline constexpr unsigned reads_on_emulator = 32;
inline constexpr unsigned reads_on_gpu = 288;
/// `specimen::work_per_count`: an array has 32 elements, and each access may look at all.
inline constexpr std::size_t work_per_thread = 8;

}  // namespace chapter10
