#pragma once
/// \file
/// The two 16-bit floating-point formats. They are computed in double precision, because every value of either is a
/// double. Results that a double can't hold are rounded to odd, so that rounding them again gives the right answer.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "emulator/simt/rounding.hpp"

namespace emulator::simt {

/// IEEE binary16: 10 fraction bits, exponents from -14.
struct half_format {
  static constexpr int fraction_bits = 10;
  static constexpr int smallest_exponent = -14;
  static constexpr std::uint32_t infinity = 0x7c00;

  [[nodiscard]] static double decode(std::uint16_t x) {
    const std::uint32_t magnitude = std::uint32_t{x} & 0x7fffu;
    if (magnitude > infinity) return std::numeric_limits<double>::quiet_NaN();
    // Interpreted as a float, these bits give a value that is 2^112 times too small, even for subnormal numbers.
    const float value = magnitude == infinity ? std::numeric_limits<float>::infinity()
                                              : std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    return (x & 0x8000u) != 0 ? -value : value;
  }
};

/// bfloat16: the upper half of a float.
struct bfloat_format {
  static constexpr int fraction_bits = 7;
  static constexpr int smallest_exponent = -126;
  static constexpr std::uint32_t infinity = 0x7f80;

  [[nodiscard]] static double decode(std::uint16_t x) { return std::bit_cast<float>(std::uint32_t{x} << 16); }
};

/// The NaN that operations return in both formats.
inline constexpr std::uint16_t half_nan = 0x7fff;

/// Rounds to a 16-bit format. \param finite  the largest finite number replaces everything beyond it (`.satfinite`)
template <typename Format>
[[nodiscard]] inline std::uint16_t encode(double x, rounding mode = rounding::nearest, bool finite = false) {
  if (x != x) return half_nan;
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double magnitude = std::fabs(x);
  if (magnitude == 0) return sign;
  std::uint32_t bits = Format::infinity;
  const bool up = mode == (sign != 0 ? rounding::down : rounding::up);
  if (std::isinf(magnitude)) {
    if (finite) --bits;
    return static_cast<std::uint16_t>(sign | bits);
  }
  const int exponent =
      std::max(static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023, Format::smallest_exponent);
  const double units = std::ldexp(magnitude, Format::fraction_bits - exponent);
  const double whole = mode == rounding::nearest ? std::nearbyint(units) : up ? std::ceil(units) : std::floor(units);
  // The leading one of a normal number adds one to the exponent field, and so does a carry.
  const double field =
      static_cast<double>(exponent - Format::smallest_exponent) * static_cast<double>(1 << Format::fraction_bits) +
      whole;
  if (field < Format::infinity)
    bits = static_cast<std::uint32_t>(field);
  else if (finite || (mode != rounding::nearest && !up))
    --bits;
  return static_cast<std::uint16_t>(sign | bits);
}

/// Returns the sum in double precision; if it isn't exact, the neighbour whose last bit is odd.
[[nodiscard]] inline double sum_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a;
  const double lost = (a - (sum - b_part)) + (b - b_part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (lost == 0 || (bits & 1u) != 0) return sum;
  const bool away = (lost > 0) == (sum > 0);  // the exact sum is further from zero
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

}  // namespace emulator::simt
