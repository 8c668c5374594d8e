#pragma once
/// \file
/// CUDA's 16-bit floating-point types as elements and accumulators: extremes that std::numeric_limits doesn't know.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "reductions/operators.cuh"

namespace workbook {

template <>
struct extremes<__half> {
  __host__ __device__ static __half largest() { return __half_raw{0x7c00}; }  ///< Infinity.
  __host__ __device__ static __half lowest() { return __half_raw{0xfc00}; }
};

template <>
struct extremes<__nv_bfloat16> {
  __host__ __device__ static __nv_bfloat16 largest() { return __nv_bfloat16_raw{0x7f80}; }
  __host__ __device__ static __nv_bfloat16 lowest() { return __nv_bfloat16_raw{0xff80}; }
};

}  // namespace workbook
