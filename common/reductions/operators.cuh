#pragma once
/// \file
/// The operators of reductions: each combines two values, and has an identity, the value that changes nothing.
///
/// An operator must be associative and commutative, because a kernel combines elements in its own order.
/// (Floating-point sums and products are only approximately associative.) NaN is neither smaller nor larger than
/// anything, so if one is in the input, the result of `minimum`, `maximum`, `arg_min` and `arg_max` may be any value.

#include <concepts>
#include <limits>
#include <type_traits>

#include <cuda_runtime_api.h>

namespace workbook {

/// Adds. The identity is 0. Integers narrower than an int wrap in their own type.
struct plus {
  template <typename T>
  __host__ __device__ static constexpr T identity() {
    return T{};
  }
  template <typename T>
  __host__ __device__ constexpr T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};

/// Multiplies. The identity is 1.
struct times {
  template <typename T>
  __host__ __device__ static constexpr T identity() {
    return T{1};
  }
  template <typename T>
  __host__ __device__ constexpr T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};

/// The largest and the lowest value of a number type, infinities included. A number type that the standard library
/// doesn't know doesn't compile without a specialisation (reductions/half.cuh has those for CUDA's types).
template <typename T>
struct extremes {
  static_assert(std::numeric_limits<T>::is_specialized, "workbook::extremes does not know this type: specialise it");
  __host__ __device__ static constexpr T largest() { return upper; }
  __host__ __device__ static constexpr T lowest() { return lower; }

 private:
  using limits = std::numeric_limits<T>;
  // Constants, because device code may not call host functions.
  static constexpr T upper = limits::has_infinity ? limits::infinity() : limits::max();
  static constexpr T lower = limits::has_infinity ? -limits::infinity() : limits::lowest();
};

/// Returns the smaller value. The identity is infinity, or the largest value if there is no infinity.
struct minimum {
  template <typename T>
  __host__ __device__ static constexpr T identity() {
    return extremes<T>::largest();
  }
  template <typename T>
  __host__ __device__ constexpr T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

/// Returns the larger value. The identity is minus infinity, or the lowest value if there is no infinity.
struct maximum {
  template <typename T>
  __host__ __device__ static constexpr T identity() {
    return extremes<T>::lowest();
  }
  template <typename T>
  __host__ __device__ constexpr T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

/// A value and its index. For values of 4 or 8 bytes, the index is equally wide, so that there is no padding.
template <typename Value>
struct indexed {
  using index_type = std::conditional_t<sizeof(Value) == 8, unsigned long long, unsigned>;
  Value value;
  index_type index;
  __host__ __device__ friend constexpr bool operator==(const indexed& a, const indexed& b) {
    return a.value == b.value && a.index == b.index;
  }
};

/// Returns the larger value with its index, the first of equal values. Identity: lowest value, largest index.
struct arg_max {
  template <typename Pair>
  __host__ __device__ static constexpr Pair identity() {
    return {maximum::identity<decltype(Pair::value)>(), extremes<typename Pair::index_type>::largest()};
  }
  template <typename Pair>
  __host__ __device__ constexpr Pair operator()(Pair a, Pair b) const {
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
  }
};

/// Returns the smaller value with its index, the first of equal values. Identity: largest value, largest index.
struct arg_min {
  template <typename Pair>
  __host__ __device__ static constexpr Pair identity() {
    return {minimum::identity<decltype(Pair::value)>(), extremes<typename Pair::index_type>::largest()};
  }
  template <typename Pair>
  __host__ __device__ constexpr Pair operator()(Pair a, Pair b) const {
    return b.value < a.value || (b.value == a.value && b.index < a.index) ? b : a;
  }
};

/// What a kernel requires of its operator.
template <typename Op, typename T>
concept reduction_operator = requires(Op op, T a, T b) {
  { op(a, b) } -> std::same_as<T>;
  { Op::template identity<T>() } -> std::same_as<T>;
};

}  // namespace workbook
