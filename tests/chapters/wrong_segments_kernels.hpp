#pragma once
/// \file
/// Kernels of chapter 15 with one mistake each.

#include "15_beyond_the_sum/segments_kernel.hpp"

namespace wrong_studies {

enum class segments_mistake {
  none,
  empty_dropped,     ///< An empty segment gets no result.
  long_dropped,      ///< A segment of more than 64 elements gets no result.
  last_lost,         ///< The last element of each segment is skipped.
  first_lost,        ///< The first element of each segment is skipped.
  next_counts,       ///< The first element of the next segment is included.
  tail_lost,         ///< The elements after the first 32 are skipped.
  rest_lost,         ///< Elements after the last whole group of 8 are skipped, if there is one.
  begun_with_zero,   ///< The search begins with zero instead of the identity.
  place_in_segment,  ///< The index counts from the segment's start, not the array's.
  place_in_long,     ///< The same, but only for segments of more than 32 elements.
  above_only,        ///< Only elements larger than the identity are found.
  last_of_equals,
  equals_by_luck,  ///< If elements are equal, takes the one whose lane is compared last in a tree.
  segments_of_last_block_lost
};
chapter15::segments_kernel wrong_segments(segments_mistake which);

}  // namespace wrong_studies
