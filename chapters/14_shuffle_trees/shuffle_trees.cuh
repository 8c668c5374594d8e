#pragma once
/// \file
/// Chapter 14, your kernel: sum the warp in two steps instead of five, with shuffles that do not wait for each other.

#include "14_shuffle_trees/lanes.cuh"

namespace chapter14::exercise {

/// Returns the sum of the values of all 32 lanes, valid in lane 0. All lanes must call it. `Value` has +, and `down`.
template <typename Value>
__device__ Value warp_sum(Value value) {
  // TODO(chapter 14): sum the warp in two steps instead of five, with shuffles that do not wait for each other.
  value += down(value, 16);
  value += down(value, 8);
  value += down(value, 4);
  value += down(value, 2);
  value += down(value, 1);
  return value;
}

}  // namespace chapter14::exercise
