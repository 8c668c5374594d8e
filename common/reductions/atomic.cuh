#pragma once
/// \file
/// Atomic additions for every element type of the workbook.

#include <type_traits>

#include <cuda_runtime_api.h>

namespace workbook {

/// Adds `value` to `*sum` in one step that no other thread can interrupt. In two's complement, signed and unsigned
/// additions are the same.
template <typename T>
__device__ void add_atomically(T* sum, T value) {
  if constexpr (std::is_same_v<T, long long>)
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
  else
    atomicAdd(sum, value);
}

}  // namespace workbook
