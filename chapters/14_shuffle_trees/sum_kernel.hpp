#pragma once
/// \file
/// The interface of chapter 14's kernels. It is a separate header because files with kernels compile faster with it.

#include <array>
#include <cstddef>

#include "machine_code/superopt/instruction.hpp"

namespace chapter14 {

inline constexpr unsigned values_per_thread = 8;

/// A kernel (T* partials, std::size_t n) for each element type, in the order of `workbook::element_type`. Block b
/// stores the sum of its blockDim.x * 8 values in partials[b]; value i is i % 1024, or 0 if i >= n.
struct sum_kernel {
  std::array<const void*, 5> kernels{};
  /// A kernel (notes* to) of one thread that records what the first warp does with its values, or null.
  const void* writes_down = nullptr;
  superopt::program last_step{};  ///< The program of a kernel without such a recording; empty if it isn't modelled.
  unsigned lanes = 32;            ///< Lanes that still hold values when the last step begins.
  bool attempted = true;
};

/// These return the kernels of the table, except those of the solution and the exercise.
sum_kernel two_a_step();
sum_kernel four_a_step_chain();
sum_kernel four_a_step_tree();
sum_kernel thirty_two_chain();
sum_kernel thirty_two_redux();
sum_kernel solution_kernel();
sum_kernel exercise_kernel();

}  // namespace chapter14
