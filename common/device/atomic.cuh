#pragma once
/// \file
/// Atomic additions for every element type of the workbook.

#include <type_traits>

#include <cuda_runtime_api.h>

namespace workbook {

/// Adds `value` to `*sum` (device) as one atomic operation. A long long is added as an unsigned long long, which gives
/// the same bits because of two's complement.
template <typename T>
__device__ void add_atomically(T* sum, T value) {
  if constexpr (std::is_same_v<T, long long>)
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
  else
    atomicAdd(sum, value);
}

}  // namespace workbook
