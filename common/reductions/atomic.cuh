#pragma once
/// \file
/// Atomic additions for every element type of the workbook.

#include <type_traits>

#include <cuda_runtime_api.h>

namespace workbook {

/// Adds `value` to `*sum` in one step that no other thread can come between. Two's complement makes signed and unsigned
/// additions the same.
template <typename T>
__device__ void add_atomically(T* sum, T value) {
  if constexpr (std::is_same_v<T, long long>)
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
  else
    atomicAdd(sum, value);
}

}  // namespace workbook
