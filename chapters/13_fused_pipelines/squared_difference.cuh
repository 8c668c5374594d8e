#pragma once
/// \file
/// Chapter 13's arithmetic. Integers wrap, so that host and device have the same results.

#include <type_traits>

#include <cuda_runtime_api.h>

namespace chapter13 {

/// Returns f(a, b), computed in unsigned arithmetic if T is an integer, because unsigned overflow is defined.
template <typename T, typename F>
__host__ __device__ constexpr T wrapping(T a, T b, F f) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return f(a, b);
  }
}

/// Returns (x - y)^2; integers wrap.
template <typename T>
__host__ __device__ constexpr T squared_difference(T x, T y) {
  return wrapping(x, y, [](auto a, auto b) { return (a - b) * (a - b); });
}

/// Returns x - y; integers wrap.
template <typename T>
__host__ __device__ constexpr T difference(T x, T y) {
  return wrapping(x, y, [](auto a, auto b) { return a - b; });
}

}  // namespace chapter13
