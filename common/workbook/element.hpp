#pragma once
/// \file
/// The element types of the workbook, and its input: a value for every index, the same on host and device.

#include <cstdint>
#include <string>
#include <type_traits>

#ifdef __CUDACC__
#define WORKBOOK_HOST_DEVICE __host__ __device__
#else
#define WORKBOOK_HOST_DEVICE
#endif

namespace workbook {

enum class element_type { int32, uint32, int64, float32, float64 };
inline constexpr element_type all_element_types[] = {element_type::int32, element_type::uint32, element_type::int64,
                                                     element_type::float32, element_type::float64};

/// Calls `f` with a null pointer to the C++ type that `type` names, and returns the result.
template <typename F>
decltype(auto) with_type(element_type type, F f) {
  switch (type) {
    case element_type::uint32:
      return f(static_cast<unsigned*>(nullptr));
    case element_type::int64:
      return f(static_cast<long long*>(nullptr));
    case element_type::float32:
      return f(static_cast<float*>(nullptr));
    case element_type::float64:
      return f(static_cast<double*>(nullptr));
    default:
      return f(static_cast<int*>(nullptr));
  }
}

/// Mixes 64 bits so that the results of neighbouring values are unrelated (the finaliser of MurmurHash3, by Austin
/// Appleby).
WORKBOOK_HOST_DEVICE constexpr std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

/// Returns element `i` of the input. Values have both signs (if T has them), and they vary irregularly. Integers have
/// up to 24 bits (long long: 48), and floating-point numbers have magnitudes from 1/16 to 16.
template <typename T>
WORKBOOK_HOST_DEVICE constexpr T input_value(std::uint64_t i, std::uint64_t seed) {
  const std::uint64_t h = mixed(i + mixed(seed + 0x9e3779b97f4a7c15ull));
  if constexpr (std::is_floating_point_v<T>) {
    // The table contains the sign, and 24 bits are converted as a signed number, because unpredictable branches made
    // this four times slower on a host.
    constexpr T scale[16] = {T(0.0625),  T(0.125),  T(0.25),  T(0.5),  T(1),  T(2),  T(4),  T(8),
                             T(-0.0625), T(-0.125), T(-0.25), T(-0.5), T(-1), T(-2), T(-4), T(-8)};
    const T fraction = T(1) + static_cast<T>(static_cast<std::int64_t>(h >> 40)) / T(16777216);
    return fraction * scale[h & 15];
  } else if constexpr (sizeof(T) == 8) {
    return static_cast<T>(static_cast<std::int64_t>(h) >> 16);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(h) >> 40);
  } else {
    return static_cast<T>(h >> 40);
  }
}

/// Returns "int", "unsigned", "longlong", "float" or "double".
[[nodiscard]] std::string name_of(element_type type);

}  // namespace workbook
