#pragma once
/// \file
/// Chapter 14: what `warp_sum` in shuffle_trees.cuh may do with a lane's value, beside adding. The file is compiled
/// twice: by nvcc for the device, and by the host compiler with values that write down what is done with them
/// (superopt/trace.hpp).

#ifdef __CUDACC__
#include "device/shuffle.cuh"
#define WORKBOOK_LANE_FUNCTION __device__
#else
#define WORKBOOK_LANE_FUNCTION
#endif

namespace chapter14 {

#ifdef __CUDACC__
/// Returns the value of the lane `distance` further on, the own value beyond the warp. All 32 lanes must call it.
template <typename T>
__device__ T down(T value, unsigned distance) {
  return workbook::shuffle_down(~0u, value, distance);
}
#endif

}  // namespace chapter14
