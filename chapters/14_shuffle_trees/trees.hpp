#pragma once
/// \file
/// The contract of chapter 14's kernels, and what the model says of their last step.

#include <array>
#include <limits>
#include <string>

#include "superopt/instruction.hpp"
#include "workbook/study.hpp"

namespace chapter14 {

inline constexpr unsigned values_per_thread = 8;

/// A kernel (T* partials, std::size_t n) for each element type, in the order of `workbook::element_type`. Block b
/// leaves in partials[b] the sum of its blockDim.x * 8 values; value i is i % 1024, or 0 from n on.
struct sum_kernel {
  std::array<const void*, 5> kernels{};
  /// A kernel (notes* to) of one thread that writes down what the first warp does with its values; null: see below.
  const void* writes_down = nullptr;
  superopt::program last_step{};  ///< What it does where no kernel says so; empty: not modelled.
  unsigned lanes = 32;            ///< Lanes that hold values then.
  bool attempted = true;
};

/// Returns the kernels of the table but solution and exercise.
sum_kernel two_a_step();
sum_kernel four_a_step_chain();
sum_kernel four_a_step_tree();
sum_kernel thirty_two_chain();
sum_kernel thirty_two_redux();
sum_kernel solution_kernel();
sum_kernel exercise_kernel();

/// Returns what the first warp does with its values, asked of `writes_down` where there is one; that runs on the
/// selected device. \throws superopt::bad_input  where it is no program of the model; workbook::device_error
[[nodiscard]] superopt::program last_step_of(const sum_kernel& kernel);

/// Cycles that the last step of a kernel takes by the cost table `turing`; NaN where it is not modelled, or does not
/// compute the sum in lane 0.
[[nodiscard]] double modelled_cycles(const sum_kernel& kernel);

/// Makes a row of the table.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, const sum_kernel& kernel);

/// All rows of the chapter's table.
[[nodiscard]] workbook::study table_of_sums();

/// Finds the modelled cycles of a row of the table; NaN, too, where its kernel shuffles less than it has written down.
[[nodiscard]] double modelled_cycles_of(const workbook::outcome& row);

}  // namespace chapter14
