#pragma once
/// \file
/// A second right solution of chapter 14: four values in the first step and eight in the second, each summed two at a
/// time.

#include "14_shuffle_trees/lanes.cuh"

namespace chapter14::exercise {

/// Declared as in the chapter.
template <typename Value>
__device__ Value warp_sum(Value value) {
  // Adds up lanes l, l + 8, l + 16 and l + 24, for l from 0 to 7.
  const Value from8 = down(value, 8), from16 = down(value, 16), from24 = down(value, 24);
  value += from8 + from16;
  value += from24;

  // Lane 0 adds the seven others.
  const Value b1 = down(value, 1), b2 = down(value, 2), b3 = down(value, 3), b4 = down(value, 4);
  const Value b5 = down(value, 5), b6 = down(value, 6), b7 = down(value, 7);
  value += b1 + b2;
  value += b3 + b4;
  value += b5 + b6;
  return value + b7;
}

}  // namespace chapter14::exercise
