#pragma once
/// \file
/// Sums of floats and doubles whose bits depend only on the elements, not on their order or on how they are distributed
/// over threads, devices and hosts.
///
/// Integers can be added in any order. So every element is rounded to a multiple of one unit, and the multiples are
/// added as integers. The unit depends only on the largest magnitude, which isn't known until the end. Therefore all
/// possible units form a fixed grid, and the bins move to larger units when a larger element arrives.

#include <cmath>
#include <concepts>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "reductions/vector.cuh"

#ifdef __FAST_MATH__
#error "workbook::binned_sum needs the rounding that it asks for: compile the host code without -ffast-math"
#endif

namespace workbook {

/// A 128-bit integer in two's complement, with the operations that binned_sum needs. (Not __int128: it would go through
/// local memory after it has been shuffled word by word.)
struct two_words {
  unsigned long long low;
  long long high;
  two_words() = default;  ///< Uninitialised.
  __host__ __device__ two_words(long long value) : low(static_cast<unsigned long long>(value)), high(value >> 63) {}
  __host__ __device__ two_words& operator+=(two_words other) {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
    return *this;
  }
  /// \param shift  1 to 63
  __host__ __device__ two_words& operator>>=(int shift) {
    low = low >> shift | static_cast<unsigned long long>(high) << (64 - shift);
    high >>= shift;
    return *this;
  }
  __host__ __device__ two_words operator-() const {
    two_words negated = *this;
    negated.low = -low;
    negated.high = ~high + (low == 0 ? 1 : 0);
    return negated;
  }
  __host__ __device__ bool operator<(int zero) const { return high < zero; }
  __host__ __device__ explicit operator unsigned long long() const { return low; }
};

/// The bit layout of a floating-point type, and the integer types that binned_sum adds for it.
template <typename T>
struct float_layout;
template <>
struct float_layout<float> {
  using bits = unsigned;
  using wide = long long;  ///< Holds a bin of 2^41 elements.
  using index = int;       ///< As wide as the type, so that binned_sum has no padding.
  static constexpr int precision = 24, bias = 127;
};
template <>
struct float_layout<double> {
  using bits = unsigned long long;
  using wide = two_words;
  using index = long long;
  static constexpr int precision = 53, bias = 1023;
};

/// Returns a * b + c, if a * b is exact or so small compared with c's last place that its last bits don't matter. The
/// result is then the same whether the compiler fuses the two operations or not.
template <typename T>
__host__ __device__ T multiply_add(T a, T b, T c) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, float>) {
    // Not the intrinsic: with -ftz=true, which is part of --use_fast_math, it would flush subnormal elements to zero.
    float sum;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(sum) : "f"(a), "f"(b), "f"(c));
    return sum;
  } else {
    return __fma_rn(a, b, c);
  }
#else
  return a * b + c;
#endif
}

/// Returns the number of bits of `value` > 0 without its leading zeros.
__host__ __device__ inline int bit_width(unsigned long long value) {
#ifdef __CUDA_ARCH__
  return 64 - __clzll(static_cast<long long>(value));
#else
  return 64 - __builtin_clzll(value);
#endif
}

/// A sum of elements of type T (float or double) in `Bins` bins, 2 to 4. Bin j counts multiples of
///     unit(j) = 2^((precision - 1) j - bias - precision + 1),    unit(0) being half the smallest number above 0,
/// and `top` is the first j >= Bins - 1 for which all magnitudes are below unit(j + 1) / 2. An element is rounded to
/// the nearest multiple of unit(top). The remainder, at most half that unit, is rounded to a multiple of the next bin's
/// unit, and so on; the last remainder is lost. In total, the element is rounded to the nearest multiple of the last
/// bin's unit, ties to even. So it doesn't matter in which order elements arrive, or how large `top` is by then.
///
/// The error of the sum of n elements x is at most
///     n 2^(-(precision - 1) (Bins - 1)) max|x| + 2^-precision |sum|.
/// The first part is the error of the bins, and the second that of rounding their sum to a T. The first part is 0 if
/// the last bin is bin 0. The result is NaN if an element is NaN or if there are infinities of both signs. It is
/// infinity if there are infinities of one sign or if the rounded sum is too large for T; partial sums may have any
/// size. It is +0 if the sum is 0, even if all elements are negative zeros.
///
/// Trivially copyable, with the same layout on host and device, so blocks, devices and processes may exchange it as
/// bytes. Holds up to 2^41 floats or 2^75 doubles. The host must round to nearest and keep subnormal numbers.
///
/// Source: the bins of Demmel and Nguyen, Parallel Reproducible Summation, and Ahrens, Demmel and Nguyen, Algorithms
/// for Efficient Reproducible Floating Point Summation. Their bins are floating-point numbers with carries. Ours are
/// integers that overlap as theirs do, but need no carries, and so no limit on the elements between two carries.
template <std::floating_point T, unsigned Bins = 3>
class binned_sum {
  static_assert(2 <= Bins && Bins <= 4, "workbook::binned_sum has 2, 3 or 4 bins");
#ifndef __CUDA_ARCH__
  static_assert(__FLT_EVAL_METHOD__ == 0,
                "workbook::binned_sum needs a host that computes in the type it is asked for");
#endif
  using layout = float_layout<T>;
  using bits = typename layout::bits;
  using wide = typename layout::wide;
  using index = typename layout::index;
  static constexpr int width = layout::precision - 1;  ///< Width of a bin, in bits.

 public:
  binned_sum() = default;  ///< Uninitialised, as shared memory requires: start with `zero()`.
  __host__ __device__ explicit binned_sum(T element) : binned_sum(zero()) {
    const T alone[] = {element};
    add(alone);
  }
  /// Returns the sum of no elements.
  __host__ __device__ static binned_sum zero() {
    binned_sum sum;
    for (wide& bin : sum.bins_) bin = 0;
    sum.special_ = 0;
    sum.top_ = Bins - 1;
    return sum;
  }

  /// Adds all elements of an array at once. The larger the array, the lower the cost per element.
  template <unsigned Count>
  __host__ __device__ void add(const T (&elements)[Count]) {
    static_assert(Count < 1u << (sizeof(bits) * 8 - width),
                  "this array has too many elements for one call of binned_sum::add: add it in parts");
    const T limit = power_of_two(width * top_ + lowest + width - 1);
    bool fits = true;
    for (const T x : elements) fits = fits & (std::fabs(x) < limit);
    if (!fits) make_room(elements);
    const T scale = power_of_two(-(width * top_ + lowest));
    bits near[Bins] = {};
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (const T x : elements) {
      // The last bit of the shifter is worth one unit. So the addition rounds x to a multiple of the unit, and the
      // difference of the bits is the number of units. The part that is lost by rounding is computed exactly.
      T shifted = multiply_add(x, scale, shifter(0));
      near[0] += bits_as<bits>(shifted) - bits_as<bits>(shifter(0));
      T rest = multiply_add(x, scale, shifter(0) - shifted);
      for (unsigned k = 1; k < Bins; ++k) {
        shifted = rest + shifter(k);
        near[k] += bits_as<bits>(shifted) - bits_as<bits>(shifter(k));
        rest -= shifted - shifter(k);
      }
    }
    for (unsigned k = 0; k < Bins; ++k) bins_[k] += static_cast<std::make_signed_t<bits>>(near[k]);
  }
  __host__ __device__ void add(T element) {
    const T alone[] = {element};
    add(alone);
  }

  /// Adds the elements of `other`.
  __host__ __device__ void merge(binned_sum other) {
    raise(other.top_);
    other.raise(top_);
    for (unsigned k = 0; k < Bins; ++k) bins_[k] += other.bins_[k];
    special_ += other.special_;
  }

  /// Returns the sum, rounded once, to the nearest T, ties to even.
  __host__ __device__ explicit operator T() const;

 private:
  /// Exponent of bin 0's unit.
  static constexpr int lowest = 1 - layout::bias - layout::precision;

  /// Returns 2^exponent, or infinity if that is too large; exponent > -bias.
  __host__ __device__ static T power_of_two(index exponent) {
    const index biased = exponent + layout::bias;
    return bits_as<T>(static_cast<bits>(biased < 2 * layout::bias + 1 ? biased : 2 * layout::bias + 1) << width);
  }
  /// Returns a number whose last bit is worth the unit of bin top - k, if the unit of bin top is 1. It is 1.5 times a
  /// power of two, so adding or subtracting up to half that power doesn't change what the last bit is worth.
  __host__ __device__ static T shifter(unsigned k) {
    const int exponent = width - static_cast<int>(k) * width;
    return bits_as<T>(static_cast<bits>(exponent + layout::bias) << width | bits{1} << (width - 1));
  }

  /// Raises `top` so that every finite element fits. Adds the others to `special_`; the bins don't matter after that.
  template <unsigned Count>
  __host__ __device__ void make_room(const T (&elements)[Count]) {
    bits largest = 0;  // magnitudes have the same order as their bits
    for (const T x : elements) {
      const bits m = bits_as<bits>(std::fabs(x));
      if (m >= infinity)
        special_ += x;
      else if (m > largest)
        largest = m;
    }
    // The first bin for which 2^(width - 1) units are more than any number with that exponent.
    raise((static_cast<index>(largest >> width) + 1 + width) / width);
  }
  /// Moves the bins down so that `top` is the first one, and loses the last ones. Does nothing unless `top` grows.
  __host__ __device__ void raise(index top) {
    if (top <= top_) return;
    for (unsigned step = 0; step < Bins && top_ + static_cast<index>(step) < top; ++step) {
      for (unsigned k = Bins - 1; k > 0; --k) bins_[k] = bins_[k - 1];
      bins_[0] = 0;
    }
    top_ = top;
  }

  static constexpr bits infinity = static_cast<bits>(2 * layout::bias + 1) << width;

  wide bins_[Bins];  ///< The number of units in bins top, top - 1 …
  T special_;        ///< The sum of all elements that are not finite: 0, infinity or NaN, in any order.
  index top_;
};

template <std::floating_point T, unsigned Bins>
__host__ __device__ binned_sum<T, Bins>::operator T() const {
  if (special_ != special_) return bits_as<T>(infinity | bits{1} << (width - 1));  // always the same NaN
  if (special_ != 0) return special_;

  // Digits of `width` bits, the highest first. There are two more digits than bins, for carries.
  constexpr unsigned count = Bins + 2;
  constexpr unsigned long long mask = (1ull << width) - 1;
  unsigned long long digits[count + 1];
  const auto set_digits = [&](bool opposite) {
    wide carry = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (unsigned d = count; d-- > 0;) {
      if (d >= 2) carry += opposite ? -bins_[d - 2] : bins_[d - 2];
      digits[d] = static_cast<unsigned long long>(carry) & mask;
      carry >>= width;
    }
    digits[count] = 0;
    return carry < 0;
  };
  const bool negative = set_digits(false);
  if (negative) set_digits(true);

  index exponent = width * (top_ + 2) + lowest;  // the exponent of the last bit of the first digit
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned step = 1; step < count; ++step) {
    if (digits[0] != 0) continue;
    for (unsigned d = 0; d < count; ++d) digits[d] = digits[d + 1];
    exponent -= width;
  }
  if (digits[0] == 0) return 0;

  // The significand of T with its leading bit, followed by a round bit (half a last place) and a sticky bit, which is
  // set if anything below it isn't 0.
  const int used = bit_width(digits[0]);
  const auto aligned = [&](unsigned d) { return (digits[d] << (width - used) | digits[d + 1] >> used) & mask; };
  unsigned long long head = aligned(0) << 3 | aligned(1) >> (width - 3);
  unsigned long long lost = (aligned(1) << 3 & mask) | (digits[2] & ((1ull << used) - 1));
  for (unsigned d = 3; d < count; ++d) lost |= digits[d];
  if (lost != 0) head |= 1;
  unsigned long long kept = head >> 2;
  if ((head & 3) == 3 || ((head & 3) == 2 && (kept & 1) != 0)) ++kept;

  const index biased = exponent + used - 1 + layout::bias;
  bits result = infinity;
  // A subnormal number: all bits that don't fit are 0, because all elements were multiples of the smallest one.
  if (biased < 1) result = static_cast<bits>(kept >> (1 - biased));
  // The leading bit of `kept` adds 1 to the exponent, and so does a carry out of it.
  if (biased >= 1 && biased <= 2 * layout::bias)
    result = (static_cast<bits>(biased - 1) << width) + static_cast<bits>(kept);
  return bits_as<T>(result | static_cast<bits>(negative) << (sizeof(bits) * 8 - 1));
}

/// Adds binned sums, for `workbook::reduce`. The identity is the sum of no elements.
struct plus_binned {
  template <typename Sum>
  __host__ __device__ static Sum identity() {
    return Sum::zero();
  }
  template <typename T, unsigned Bins>
  __host__ __device__ binned_sum<T, Bins> operator()(binned_sum<T, Bins> a, const binned_sum<T, Bins>& b) const {
    a.merge(b);
    return a;
  }
};

}  // namespace workbook
