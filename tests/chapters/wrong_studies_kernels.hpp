#pragma once
/// \file
/// Kernels of the studies with one mistake each.

#include "10_private_arrays/gather_kernel.hpp"
#include "11_launch_bounds/sums_kernel.hpp"
#include "13_fused_pipelines/calls.hpp"
#include "14_shuffle_trees/sum_kernel.hpp"

namespace wrong_studies {

enum class gather_mistake {
  none,
  input_side_by_side,
  start_ignored,
  last_step,
  half_array,
  weight,
  neighbour,
  backwards
};
chapter10::gather_kernel wrong_gather(gather_mistake which);

enum class sums_mistake { none, last_term, small_by_point, points_for_pitch, smallest, last_kept, added_up, silent };
chapter11::sums_kernel wrong_sums(sums_mistake which);

enum class softmax_mistake {
  none,
  not_scaled,
  not_lowered,
  from_zero,
  of_first_row,
  first_columns,
  largest_of_half,
  silent
};
chapter13::way wrong_softmax(softmax_mistake which);

/// Returns a kernel whose lane 0 gets the sum from a chain in which the step with distance 4 is missing.
chapter14::sum_kernel chain_without_four();

}  // namespace wrong_studies
