#pragma once
/// \file
/// Kernels of chapter 15 with one mistake each.

#include "15_beyond_the_sum/segments_kernel.hpp"

namespace wrong_studies {

enum class segments_mistake {
  none,
  empty_dropped,     ///< A segment without elements gets no result.
  long_dropped,      ///< Nor does one of more than 64.
  last_lost,         ///< The last element of each.
  first_lost,        ///< The first.
  next_counts,       ///< The first of the next segment is looked at, too.
  tail_lost,         ///< Elements from number 32 on.
  rest_lost,         ///< Behind the last whole group of 8, where there is one.
  begun_with_zero,   ///< Instead of the identity.
  place_in_segment,  ///< Not in the array.
  place_in_long,     ///< Likewise, for segments of more than 32.
  above_only,        ///< Nothing that is not larger than the identity is found.
  last_of_equals,
  equals_by_luck,  ///< Of equal elements that of the lane which comes last in a tree.
  segments_of_last_block_lost
};
chapter15::segments_kernel wrong_segments(segments_mistake which);

}  // namespace wrong_studies
