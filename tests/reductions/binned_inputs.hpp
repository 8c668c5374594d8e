#pragma once
/// \file
/// Inputs that are hard to sum, and the checks that the tests of binned sums make on a result.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "reductions/binned_sum.cuh"
#include "reductions/exact_sum.hpp"
#include "support/catch.hpp"

template <typename T>
struct named_input {
  std::string name;
  std::vector<T> elements;
};

/// Returns inputs of `n` finite elements each, the same for the same seed.
template <typename T>
std::vector<named_input<T>> hard_inputs(std::size_t n, unsigned seed) {
  using limits = std::numeric_limits<T>;
  constexpr int width = limits::digits - 1;  // of a bin
  std::mt19937_64 random(seed);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  const auto fraction = [&] { return static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-52 - 1); };
  const auto made = [&](auto element) {
    std::vector<T> elements(n);
    for (std::size_t i = 0; i < n; ++i) elements[i] = element(i);
    return elements;
  };
  std::vector<named_input<T>> all = {
      {"even", made([&](std::size_t) { return fraction(); })},
      {"positive", made([&](std::size_t) { return std::fabs(fraction()); })},
      {"from 1e-30 to 1e30", made([&](std::size_t) { return std::ldexp(fraction(), below(200) - 100); })},
      {"of all magnitudes", made([&](std::size_t) {
         return std::ldexp(fraction(), below(limits::max_exponent - limits::min_exponent) + limits::min_exponent - 8);
       })},
      {"subnormal", made([&](std::size_t) { return limits::denorm_min() * static_cast<T>(below(4001) - 2000); })},
      {"around the smallest normal number", made([&](std::size_t) { return limits::min() * (4 * fraction()); })},
      {"all equal", made([&](std::size_t) { return static_cast<T>(0.1); })},
      {"the largest ones, of both signs",
       made([&](std::size_t i) { return i % 2 == 0 ? limits::max() : -limits::max() / static_cast<T>(1 + below(2)); })},
      {"halves of units and their neighbours",
       // Bins end at powers of 2^width. There, the last bit decides if half a unit is rounded up or down.
       made([&](std::size_t) {
         const T half = std::ldexp(T{1}, width * (below(5) - 2) + below(3) - 2 - (limits::digits % 2));
         const T x = below(2) == 0 ? half : std::nextafter(half, static_cast<T>(below(2) * 4));
         return below(2) == 0 ? x : -x;
       })},
      {"one huge among tiny ones",
       made([&](std::size_t i) { return i == n / 2 ? static_cast<T>(1e20) : fraction() / 1024; })},
      {"pairs that cancel", made([&](std::size_t) { return std::ldexp(fraction(), below(60)); })}};
  auto& pairs = all.back().elements;
  for (std::size_t i = 1; i < n; i += 2) pairs[i] = -pairs[i - 1] * (i % 8 == 1 ? 1 + limits::epsilon() : 1);
  return all;
}

template <typename T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Checks that the finite `sum` is as close to the exact sum of `elements` as workbook::binned_sum<T, Bins> promises.
template <unsigned Bins, typename T>
void check_bound(const std::vector<T>& elements, T sum) {
  constexpr int precision = std::numeric_limits<T>::digits;
  exact_sum exact;
  double largest = 0;
  for (const T x : elements) {
    exact.add(static_cast<double>(x));
    largest = std::max(largest, std::fabs(static_cast<double>(x)));
  }
  // The factors are multiplied in an order in which no intermediate result overflows or becomes 0.
  const double bound =
      std::ldexp(largest, -(precision - 1) * static_cast<int>(Bins - 1)) * static_cast<double>(elements.size()) +
      std::ldexp(std::fabs(static_cast<double>(sum)), -precision);
  const double error = exact.error_of(static_cast<double>(sum));
  INFO("error " << error << ", bound " << bound);
  CHECK(std::fabs(error) <= bound * (1 + 1e-12));
}
