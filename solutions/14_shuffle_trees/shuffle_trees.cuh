#pragma once
/// \file
/// Chapter 14: the sum of a warp, eight values per step, then four.

#include "14_shuffle_trees/lanes.cuh"

namespace chapter14::solution {

/// Returns the sum of the values of all 32 lanes, valid in lane 0. All lanes must call it. `Value` has +, and `down`.
template <typename Value>
__device__ Value warp_sum(Value value) {
  // exercise: begin
  // Eight values per step: lane l adds up lanes l, l + 4, …, l + 28. Shuffles come first, so that none has to wait.
  const Value a4 = down(value, 4), a8 = down(value, 8), a12 = down(value, 12), a16 = down(value, 16);
  const Value a20 = down(value, 20), a24 = down(value, 24), a28 = down(value, 28);
  const Value eight = value + a4 + a8 + a12 + a16 + a20 + a24 + a28;

  // Four values per step: lanes 0 to 3.
  const Value b1 = down(eight, 1), b2 = down(eight, 2), b3 = down(eight, 3);
  return eight + b1 + b2 + b3;
  // exercise: instead
  // value += down(value, 16);
  // value += down(value, 8);
  // value += down(value, 4);
  // value += down(value, 2);
  // value += down(value, 1);
  // return value;
  // exercise: end
}

}  // namespace chapter14::solution
