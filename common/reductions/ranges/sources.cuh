#pragma once
/// \file
/// The sources of pipelines: numbers that are generated when they are needed, and arrays on the device.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reductions/ranges/range.cuh"

namespace workbook {

/// The numbers first, first + 1, first + 2 …, which take no memory.
template <typename T>
struct iota_view {
  using value_type = T;
  using element = T;
  static constexpr unsigned per_vector = 0;
  static constexpr bool has_vectors = true;
  static constexpr std::size_t bytes_per_element = 0;

  T first;
  std::size_t count;

  [[nodiscard]] std::size_t size() const { return count; }
  [[nodiscard]] std::size_t extent() const { return count; }
  [[nodiscard]] std::size_t head(unsigned) const { return anywhere; }
  __device__ T operator[](std::size_t i) const {
    // Integers wrap, which is defined only for unsigned ones.
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(first) + static_cast<std::make_unsigned_t<T>>(i));
    else
      return first + static_cast<T>(i);
  }
  template <unsigned N, caching Hint>
  __device__ vector<N, T> get_vector(std::size_t i) const {
    vector<N, T> v;
    for (unsigned k = 0; k < N; ++k) v.elements[k] = (*this)[i + k];
    return v;
  }
};

/// The elements of an array, read by 16-byte loads if the address allows it.
template <typename T>
struct array_view {
  using value_type = T;
  using element = T;
  static constexpr bool has_vectors = sizeof(uint4) % sizeof(T) == 0;
  static constexpr unsigned per_vector = has_vectors ? sizeof(uint4) / sizeof(T) : 1;
  static constexpr std::size_t bytes_per_element = sizeof(T);

  const T* data;      ///< Device, `count` elements, aligned for T.
  std::size_t count;  ///< May be 0.

  [[nodiscard]] std::size_t size() const { return count; }
  [[nodiscard]] std::size_t extent() const { return count; }
  [[nodiscard]] std::size_t head(unsigned n) const {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    // An 8-byte T may be aligned to only 4 bytes. Then no element begins at a multiple of 16: there are no vectors.
    return address % sizeof(T) != 0 ? nowhere : -(address / sizeof(T)) % n;
  }
  __device__ T operator[](std::size_t i) const { return data[i]; }
  template <unsigned N, caching Hint>
  __device__ vector<N, T> get_vector(std::size_t i) const {
    return load<N, Hint>(data + i);
  }
};

namespace view {

/// Returns the range of the numbers from `first` up to, but not including, `last`; empty if last <= first.
template <typename T>
[[nodiscard]] constexpr iota_view<T> iota(T first, std::type_identity_t<T> last) {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>, "view::iota counts: its ends are numbers");
  if (!(last > first)) return {first, 0};
  if constexpr (std::is_integral_v<T>) return {first, static_cast<std::size_t>(last) - static_cast<std::size_t>(first)};
  const auto whole = static_cast<std::size_t>(last - first);
  return {first, whole + (first + static_cast<T>(whole) < last ? 1 : 0)};
}

/// Returns the range of `count` elements at `data` (device, aligned for T, must live until the pipeline is evaluated).
template <typename T>
[[nodiscard]] constexpr array_view<T> array(const T* data, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>, "view::array: elements travel as bits: T must be trivially copyable");
  return {data, count};
}

}  // namespace view
}  // namespace workbook
