#pragma once
/// \file
/// The experiments that run chapter 10's kernels, and the table of them.

#include <cstddef>
#include <string>

#include "10_private_arrays/gather_kernel.hpp"
#include "workbook/study.hpp"

namespace chapter10 {

/// The element at which threads begin to read their arrays.
enum class order {
  fixed,    ///< At element 0.
  uniform,  ///< All at the same element, which is known only at run time.
  random,   ///< Each at a random element.
  worst     ///< Lane l at element l, so that no two lanes of a warp are equal.
};

/// The threads that share an array: none or a warp.
enum class owner { thread, warp };

/// Makes a row of the table.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, gather_kernel kernel, order starts,
                                          owner whose = owner::thread);

/// Returns the chapter's table, with the methods that it compares, the reference, and the exercise.
[[nodiscard]] workbook::study table_of_arrays();

/// Accesses by each thread: an odd multiple of 32. With an even multiple, each element would be read as often as its
/// replacement, weight - element, so the sum would be the same for every input.
inline constexpr unsigned reads_on_emulator = 32;
inline constexpr unsigned reads_on_gpu = 288;
/// `specimen::work_per_count`: an array has 32 elements, and each access may compare the index with all of them.
inline constexpr std::size_t work_per_thread = 8;

}  // namespace chapter10
