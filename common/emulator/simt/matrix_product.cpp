// Sums of products as the tensor cores of an H100 compute them (measured:
// tests/kernels/hardware_comparison/matrix_forms.py).
//
// Integers and doubles have no surprises: integer sums are exact and then wrap around or saturate, and doubles are
// added by one fused multiply-add after the other. Floating-point numbers of 32 bits and fewer are added in one step.
// The products are exact; all terms are truncated (towards zero) at the 25th fraction bit relative to the largest
// exponent, and then summed exactly. A product that is zero has no exponent. The sum is truncated to single precision,
// or rounded to the nearest half if C and D are halves; a zero result is +0. If only one of C and D is a half, it is
// converted before or after the sum.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "emulator/simt/half.hpp"
#include "emulator/simt/matrix_form.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;

/// Fraction bits that a sum keeps, relative to the largest term's exponent; lower bits are lost.
constexpr int kept_bits = 25;
/// The largest term's exponent counts as at least this one.
constexpr std::int32_t least_exponent = -133;
/// The number of fraction bits of a factor, of a product (twice that number) and of an accumulator.
constexpr int factor_bits = 10, product_bits = 2 * factor_bits, sum_bits = 23;

/// The exponent that zeros get. It is so small that a zero, or a product with one, never has the largest exponent.
constexpr std::int32_t no_exponent = -(1 << 16);

/// A number as `significand` * 2^(exponent - fraction bits).
struct number {
  std::int32_t significand = 0;
  std::int32_t exponent = 0;
  bool is_special = false;  ///< Infinite, or a NaN if the significand is zero.
};

struct float_layout {
  int exponent_bits, fraction_bits;
  int unused_bits = 0;  ///< Below the fraction.
};

float_layout layout_of(scalar_type type) {
  switch (type) {
    case scalar_type::f16:
      return {5, 10};
    case scalar_type::bf16:
      return {8, 7};
    case scalar_type::tf32:
      return {8, 10, 13};
    default:
      return {8, 23};
  }
}

number decoded(std::uint64_t bits, const float_layout& layout, int fraction_bits) {
  const std::uint64_t x = bits >> layout.unused_bits;
  const auto fraction = static_cast<std::int32_t>(x & ((1u << layout.fraction_bits) - 1));
  const auto field = static_cast<std::int32_t>(x >> layout.fraction_bits & ((1u << layout.exponent_bits) - 1));
  const bool is_negative = (x >> (layout.fraction_bits + layout.exponent_bits) & 1u) != 0;
  const std::int32_t bias = (1 << (layout.exponent_bits - 1)) - 1;
  number n;
  n.is_special = field == 2 * bias + 1;
  n.exponent = std::max(field, 1) - bias;
  n.significand = n.is_special ? (fraction == 0 ? 1 : 0) : fraction | (field != 0 ? 1 << layout.fraction_bits : 0);
  if (!n.is_special) n.significand <<= fraction_bits - layout.fraction_bits;
  if (n.significand == 0 && !n.is_special) n.exponent = no_exponent;
  if (is_negative) n.significand = -n.significand;
  return n;
}

/// A matrix of factors; its rows (or columns) are in the order in which they are multiplied.
struct factors {
  alignas(64) std::int32_t significand[max_rows * max_products];
  alignas(64) std::int32_t exponent[max_rows * max_products];
  std::uint32_t special_rows = 0;
};

void decode_factors(const matrix_bits& bits, scalar_type type, unsigned rows, unsigned products, factors& to) {
  const float_layout layout = layout_of(type);
  for (unsigned row = 0; row < rows; ++row) {
    bool special = false;
    for (unsigned k = 0; k < products; ++k) {
      const number n = decoded(bits.of[row * products + k], layout, factor_bits);
      to.significand[row * products + k] = n.significand;
      to.exponent[row * products + k] = n.exponent;
      special |= n.is_special;
    }
    to.special_rows |= std::uint32_t{special} << row;
  }
}

/// A sum: `value` * 2^(`exponent` - kept_bits).
struct aligned_sum {
  std::int64_t value;
  std::int32_t exponent;
};

std::int64_t cut_off(std::int64_t term, std::int32_t places) {
  const std::int64_t size = std::abs(term) >> std::min(places, 63);
  return term < 0 ? -size : size;
}

/// Adds `Count` products and `c`.
template <unsigned Count>
aligned_sum summed(const std::int32_t* a, const std::int32_t* a_exponent, const std::int32_t* b,
                   const std::int32_t* b_exponent, const number& c) {
  std::int32_t exponent[Count];
  std::int32_t largest = std::max(c.exponent, least_exponent);
  for (unsigned k = 0; k < Count; ++k) exponent[k] = a_exponent[k] + b_exponent[k];
  for (unsigned k = 0; k < Count; ++k) largest = std::max(largest, exponent[k]);
  // A product has at most 22 bits, 27 after it has been aligned to the sum's last bit, and the sum of eight products
  // has at most 30.
  std::int32_t sums[2] = {};
  for (unsigned half = 0; half < 2; ++half) {
    for (unsigned k = half * Count / 2; k < (half + 1) * Count / 2; ++k) {
      const std::int32_t product = a[k] * b[k];
      const std::int32_t size = (product < 0 ? -product : product) << (kept_bits - product_bits);
      const std::int32_t left = size >> std::min(largest - exponent[k], 31);
      sums[half] += product < 0 ? -left : left;
    }
  }
  const std::int64_t term = std::int64_t{c.significand} * (1 << (kept_bits - sum_bits));
  return {std::int64_t{sums[0]} + sums[1] + cut_off(term, largest - c.exponent), largest};
}

/// Returns the sum as a number with `fraction_bits` fraction bits and an exponent from `least` to `most`; a number that
/// is too large becomes infinite.
std::uint32_t rounded(const aligned_sum& sum, int fraction_bits, int least, int most, bool to_nearest) {
  if (sum.value == 0) return 0;
  const std::uint32_t sign =
      sum.value < 0 ? 1u << (fraction_bits + std::bit_width(static_cast<unsigned>(2 * most))) : 0;
  const auto size = static_cast<std::uint64_t>(std::abs(sum.value));
  const int last = sum.exponent - kept_bits;  // the exponent of the sum's last bit
  const int exponent = std::max(static_cast<int>(std::bit_width(size)) - 1 + last, least);
  const int places = exponent - fraction_bits - last;  // the number of bits that are lost
  std::uint64_t units = places <= 0 ? size << -places : places > 63 ? 0 : size >> places;
  if (to_nearest && places > 0 && places <= 63) {
    const std::uint64_t rest = size & ((std::uint64_t{1} << places) - 1), half = std::uint64_t{1} << (places - 1);
    if (rest > half || (rest == half && (units & 1u) != 0)) ++units;
  }
  if (units == 0) return 0;
  // The leading one of a normal number adds one to the exponent field, and so does a carry.
  const std::uint64_t field = (static_cast<std::uint64_t>(exponent - least) << fraction_bits) + units;
  const std::uint64_t infinity = static_cast<std::uint64_t>(2 * most + 1) << fraction_bits;
  return sign | static_cast<std::uint32_t>(std::min(field, infinity));
}

constexpr std::uint32_t float_nan = 0x7fffffff, half_nan = 0x7fff;

std::uint64_t finished(const aligned_sum& sum, scalar_type type) {
  return type == scalar_type::f32 ? rounded(sum, 23, -126, 127, false) : rounded(sum, 10, -14, 15, true);
}

/// The sum if a term may be infinite or a NaN; no member is set if all terms are finite.
struct special_sum {
  bool is_nan = false, above = false, below = false;
  void add(const number& n) {
    if (!n.is_special) return;
    is_nan |= n.significand == 0;
    above |= n.significand > 0;
    below |= n.significand < 0;
  }
  void add_product(const number& a, const number& b) {
    if (!a.is_special && !b.is_special) return;
    number product;
    product.is_special = true;
    // A NaN has the significand zero here, and so has a zero, whose product with infinity is a NaN.
    product.significand = (a.significand > 0) - (a.significand < 0);
    product.significand *= (b.significand > 0) - (b.significand < 0);
    add(product);
  }
  [[nodiscard]] bool is_any() const { return is_nan || above || below; }
  [[nodiscard]] std::uint64_t bits(scalar_type type) const {
    const bool half = type == scalar_type::f16;
    if (is_nan || (above && below)) return half ? half_nan : float_nan;
    return half ? (above ? 0x7c00u : 0xfc00u) : (above ? 0x7f800000u : 0xff800000u);
  }
};

special_sum special_of(const matrix_form& form, const std::uint64_t* a, const std::uint64_t* b, unsigned count,
                       const number& c) {
  const float_layout layout_a = layout_of(form.a.type), layout_b = layout_of(form.b.type);
  special_sum sum;
  sum.add(c);
  for (unsigned k = 0; k < count; ++k)
    sum.add_product(decoded(a[k], layout_a, factor_bits), decoded(b[k], layout_b, factor_bits));
  return sum;
}

std::uint32_t float_bits(std::uint64_t half) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(half_format::decode(static_cast<std::uint16_t>(half))));
}

std::uint16_t half_bits(std::uint64_t real) {
  return encode<half_format>(std::bit_cast<float>(static_cast<std::uint32_t>(real)));
}

template <unsigned Count>
void multiply_floats(const matrix_form& form, const matrix_bits& a, const matrix_bits& b, const matrix_bits& c,
                     matrix_bits& d) {
  factors left, right;
  const bool to_halves = form.d.type == scalar_type::f16, of_halves = form.c.type == scalar_type::f16;
  const scalar_type type = to_halves && of_halves ? scalar_type::f16 : scalar_type::f32;  // of the sums
  const unsigned m = form.c.rows, n = form.c.columns, products = form.a.columns;
  decode_factors(a, form.a.type, m, products, left);
  decode_factors(b, form.b.type, n, products, right);
  for (unsigned row = 0; row < m; ++row) {
    for (unsigned column = 0; column < n; ++column) {
      std::uint64_t bits = c.of[row * n + column];
      if (of_halves && !to_halves) bits = float_bits(bits);
      const bool special = (left.special_rows >> row & 1u) != 0 || (right.special_rows >> column & 1u) != 0;
      for (unsigned k = 0; k < products; k += Count) {
        const number before = decoded(bits, layout_of(type), sum_bits);
        const unsigned at = row * products + k, of = column * products + k;
        if (special || before.is_special) {
          const special_sum sum = special_of(form, a.of + at, b.of + of, Count, before);
          if (sum.is_any()) {
            bits = sum.bits(type);
            continue;
          }
        }
        bits = finished(summed<Count>(left.significand + at, left.exponent + at, right.significand + of,
                                      right.exponent + of, before),
                        type);
      }
      d.of[row * n + column] = to_halves && !of_halves ? half_bits(bits) : bits;
    }
  }
}

std::int64_t integer_of(std::uint64_t bits, scalar_type type) {
  return type == scalar_type::s8 ? static_cast<std::int8_t>(bits) : static_cast<std::int64_t>(bits & 0xffu);
}

void multiply_integers(const matrix_form& form, const matrix_bits& a, const matrix_bits& b, const matrix_bits& c,
                       matrix_bits& d) {
  const unsigned m = form.c.rows, n = form.c.columns, products = form.a.columns;
  for (unsigned row = 0; row < m; ++row) {
    for (unsigned column = 0; column < n; ++column) {
      std::int64_t sum = static_cast<std::int32_t>(c.of[row * n + column]);
      for (unsigned k = 0; k < products; ++k)
        sum += integer_of(a.of[row * products + k], form.a.type) * integer_of(b.of[column * products + k], form.b.type);
      if (form.saturates)
        sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                       std::numeric_limits<std::int32_t>::max());
      d.of[row * n + column] = static_cast<std::uint32_t>(sum);
    }
  }
}

/// Returns a * b + c. If several operands are NaNs, returns that of `b` rather than that of `c`, and that of `c` rather
/// than that of `a`, as an H100 does.
double fused(double a, double b, double c) {
  constexpr std::uint64_t quiet = 0x0008'0000'0000'0000u, none = 0xfff8'0000'0000'0000u;
  for (const double x : {b, c, a}) {
    if (std::isnan(x)) return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | quiet);
  }
  const double sum = std::fma(a, b, c);
  return std::isnan(sum) ? std::bit_cast<double>(none) : sum;
}

void multiply_doubles(const matrix_form& form, const matrix_bits& a, const matrix_bits& b, const matrix_bits& c,
                      matrix_bits& d) {
  const rounding_scope scope(form.mode);
  const unsigned m = form.c.rows, n = form.c.columns, products = form.a.columns;
  for (unsigned row = 0; row < m; ++row) {
    for (unsigned column = 0; column < n; ++column) {
      auto sum = std::bit_cast<double>(c.of[row * n + column]);
      for (unsigned k = 0; k < products; ++k)
        sum = fused(std::bit_cast<double>(a.of[row * products + k]), std::bit_cast<double>(b.of[column * products + k]),
                    sum);
      d.of[row * n + column] = std::bit_cast<std::uint64_t>(sum);
    }
  }
}

}  // namespace

void multiply_matrices(const matrix_form& form, const matrix_bits& a, const matrix_bits& b, const matrix_bits& c,
                       matrix_bits& d) {
  if (form.a.type == scalar_type::f64) return multiply_doubles(form, a, b, c, d);
  if (form.c.type == scalar_type::s32) return multiply_integers(form, a, b, c, d);
  if (form.step == 4) return multiply_floats<4>(form, a, b, c, d);
  if (form.step == 8) return multiply_floats<8>(form, a, b, c, d);
  multiply_floats<16>(form, a, b, c, d);
}

}  // namespace emulator::simt
