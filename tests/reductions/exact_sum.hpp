#pragma once
/// \file
/// Sums without any rounding, as a reference for other sums.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

/// The exact sum of finite doubles (and so of floats), stored as a long integer in units of 2^-1074.
class exact_sum {
 public:
  void add(double x) {
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(x), &exponent);  // a number of 53 bits below 1
    auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
    int place = exponent - 53 + 1074;
    if (place < 0) {  // a subnormal number has zeros at these places
      digits >>= -place;
      place = 0;
    }
    const auto word = static_cast<std::size_t>(place / 32);
    const unsigned shift = static_cast<unsigned>(place % 32);
    const std::int64_t sign = std::signbit(x) ? -1 : 1;
    const std::uint64_t low = (digits & 0xffffffff) << shift, high = (digits >> 32) << shift;
    words_[word] += sign * static_cast<std::int64_t>(low & 0xffffffff);
    words_[word + 1] += sign * static_cast<std::int64_t>((low >> 32) + (high & 0xffffffff));
    words_[word + 2] += sign * static_cast<std::int64_t>(high >> 32);
  }
  /// Returns `x` minus the sum, with an error of at most a few units in the last place of a double.
  [[nodiscard]] double error_of(double x) const {
    exact_sum difference;
    difference.add(x);
    for (std::size_t k = 0; k < count; ++k) difference.words_[k] -= words_[k];
    const bool negative = difference.carry();
    if (negative) {
      for (std::int64_t& word : difference.words_) word = -word;
      (void)difference.carry();
    }
    double value = 0;
    for (std::size_t k = 0; k < count; ++k)
      value += std::ldexp(static_cast<double>(difference.words_[k]), static_cast<int>(k) * 32 - 1074);
    return negative ? -value : value;
  }

 private:
  static constexpr std::size_t count = 70;

  /// Normalises the words to 32-bit digits, of which the last one holds the sign. Returns true if the sum is negative.
  bool carry() {
    for (std::size_t k = 0; k + 1 < count; ++k) {
      words_[k + 1] += words_[k] >> 32;
      words_[k] &= 0xffffffff;
    }
    return words_[count - 1] < 0;
  }
  std::array<std::int64_t, count> words_{};
};
