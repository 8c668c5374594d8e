#pragma once
/// \file
/// The contract of chapter 10's kernels, and the experiment that each of them is.

#include <array>
#include <string>

#include <cuda_runtime_api.h>

#include "workbook/study.hpp"

namespace chapter10 {

/// A kernel (const T* in, const unsigned* starts, T* out, std::size_t n, unsigned reads) for each element type, in the
/// order of `workbook::element_type`, and the bytes of dynamic shared memory that a block of it needs.
struct gather_kernel {
  std::array<const void*, 5> kernels{};
  std::array<std::size_t (*)(dim3 block), 5> shared_bytes{};  ///< Null: none.
  bool attempted = true;
};

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

gather_kernel solution_kernel();
gather_kernel exercise_kernel();
gather_kernel gathers_static();
gather_kernel gathers_unrolled();
gather_kernel gathers_uniform();
gather_kernel gathers_local();
gather_kernel gathers_by_selects();
gather_kernel gathers_from_warp();

/// Accesses of each thread: a multiple of 32.
inline constexpr unsigned reads_on_emulator = 32;
inline constexpr unsigned reads_on_gpu = 256;

}  // namespace chapter10
