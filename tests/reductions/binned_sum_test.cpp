// The accumulator of the reproducible sum, tested on the host. The order of the elements, and their distribution over
// several sums, never change a bit, and the result is as close to the exact sum as promised.

#include "reductions/binned_inputs.hpp"

using namespace workbook;

namespace {

template <unsigned Bins, typename T>
binned_sum<T, Bins> one_by_one(const std::vector<T>& elements) {
  auto sum = binned_sum<T, Bins>::zero();
  for (const T x : elements) sum.add(x);
  return sum;
}

/// Distributes the elements at random over five sums, merges these in random order, and returns the total.
template <unsigned Bins, typename T>
T shared_out(const std::vector<T>& elements, std::mt19937_64& random) {
  std::vector<binned_sum<T, Bins>> parts(5, binned_sum<T, Bins>::zero());
  for (std::size_t i = 0; i < elements.size();) {
    auto& part = parts[random() % parts.size()];
    T group[8];
    if (i + std::size(group) <= elements.size() && random() % 2 == 0) {
      for (T& x : group) x = elements[i++];
      part.add(group);
    } else {
      part.add(elements[i++]);
    }
  }
  std::shuffle(parts.begin(), parts.end(), random);
  for (std::size_t k = 1; k < parts.size(); ++k) parts[0].merge(parts[k]);
  return static_cast<T>(parts[0]);
}

template <unsigned Bins, typename T>
void demand_any_order() {
  std::mt19937_64 random(7);
  for (unsigned seed = 0; seed < 3; ++seed) {
    for (named_input<T>& input : hard_inputs<T>(150 + 61 * seed, seed)) {
      INFO(input.name << ", " << Bins << " bins of " << sizeof(T) << " bytes");
      auto& elements = input.elements;
      const T expected = static_cast<T>(one_by_one<Bins>(elements));
      if (std::isfinite(expected)) check_bound<Bins>(elements, expected);
      bool equal = true;
      const auto magnitude = [](T a, T b) { return std::fabs(a) < std::fabs(b); };
      std::sort(elements.begin(), elements.end(), magnitude);
      equal = equal && same_bits(expected, static_cast<T>(one_by_one<Bins>(elements)));
      std::reverse(elements.begin(), elements.end());
      equal = equal && same_bits(expected, static_cast<T>(one_by_one<Bins>(elements)));
      for (int k = 0; k < 100; ++k) {
        std::shuffle(elements.begin(), elements.end(), random);
        equal = equal && same_bits(expected, shared_out<Bins>(elements, random));
      }
      CHECK(equal);
    }
  }
}

template <typename T>
T sum_of(std::initializer_list<T> elements) {
  const std::vector<T> all(elements);
  const T sum = static_cast<T>(one_by_one<3>(all));
  std::vector<T> backwards(all.rbegin(), all.rend());
  CHECK(same_bits(sum, static_cast<T>(one_by_one<3>(backwards))));
  return sum;
}

template <typename T>
void demand_rounding_and_specials() {
  using limits = std::numeric_limits<T>;
  const T inf = limits::infinity(), nan = limits::quiet_NaN(), most = limits::max(), least = limits::denorm_min();
  INFO(sizeof(T) << " bytes");
  CHECK(same_bits(sum_of<T>({}), T{0}));
  CHECK(same_bits(sum_of<T>({T{-0.0}, T{-0.0}}), T{0}));
  CHECK(same_bits(sum_of<T>({T{1.5}, T{-1.5}}), T{0}));
  CHECK(sum_of<T>({inf, 1, -most}) == inf);
  CHECK(sum_of<T>({1, -inf, -inf}) == -inf);
  CHECK(same_bits(sum_of<T>({1, inf, -inf}), nan));
  CHECK(same_bits(sum_of<T>({-nan, inf, 1}), nan));
  CHECK(same_bits(sum_of<T>({-inf, inf, nan, 1}), nan));
  // It doesn't matter if partial sums overflow T. If the whole sum overflows, the rounding rule makes it infinity.
  CHECK(sum_of<T>({most, most, -most, -most / 2}) == most - most / 2);
  CHECK(sum_of<T>({most, most, most}) == inf);
  CHECK(sum_of<T>({-most, -most}) == -inf);
  const T half_unit = std::ldexp(T{1}, limits::max_exponent - limits::digits - 1);
  CHECK(sum_of<T>({most, half_unit}) == inf);
  CHECK(sum_of<T>({most, half_unit * T{0.75}}) == most);
  // Ties go to the even neighbour, for normal numbers and at the smallest normal number.
  const T odd = 1 + limits::epsilon(), tie = limits::epsilon() / 2;
  CHECK(sum_of<T>({1, tie}) == 1);
  CHECK(sum_of<T>({odd, tie}) == odd + limits::epsilon());
  CHECK(sum_of<T>({1, tie, least}) == 1);  // far below the last bin's unit
  CHECK(sum_of<T>({1, tie, tie * limits::epsilon()}) == odd);
  CHECK(sum_of<T>({-1, -tie, -tie * limits::epsilon()}) == -odd);
  CHECK(sum_of<T>({least, limits::min(), least}) == limits::min() + 2 * least);
  CHECK(sum_of<T>({limits::min(), -least}) == limits::min() - least);
  CHECK(sum_of<T>({least, -3 * least}) == -2 * least);
}

}  // namespace

TEST_CASE("a plain sum depends on the order; three floats are enough to show it") {
  const float large = 16777216.0f;  // 2^24; the next larger float is 2 more
  const volatile float from_left = large + 1.0f, from_right = 1.0f + 1.0f;
  CHECK(from_left + 1.0f == 16777216.0f);
  CHECK(large + from_right == 16777218.0f);
  CHECK(sum_of<float>({large, 1, 1}) == 16777218.0f);
}

TEST_CASE("no order of the elements and no division of them changes a bit, and the error stays within its bound") {
  demand_any_order<2, float>();
  demand_any_order<3, float>();
  demand_any_order<4, float>();
  demand_any_order<2, double>();
  demand_any_order<3, double>();
  demand_any_order<4, double>();
}

TEST_CASE("sums are rounded once, to even; NaN, infinities, zeros and overflow do not depend on the order either") {
  demand_rounding_and_specials<float>();
  demand_rounding_and_specials<double>();
}

TEST_CASE("values smaller than half the last bin's unit are lost, in any order, and nothing else") {
  // The unit of bin j is 2^(23 j - 150). Magnitudes from 2^-13 to 2^10 have bin 6 as their first bin, and bin 4 is the
  // last of three.
  const float unit = 0x1p-58f;
  CHECK(sum_of<float>({1, unit, -1}) == unit);
  CHECK(sum_of<float>({unit / 2, 1, unit / 4, -1}) == 0);
  CHECK(sum_of<float>({std::nextafter(unit / 2, 1.0f), 1, -1}) == unit);
  CHECK(sum_of<float>({unit / 2, unit / 2, unit / 2}) == 1.5f * unit);  // without the 1, nothing is lost
}

TEST_CASE("as many elements as a group may have do not overflow, however large they are") {
  float group[511];
  std::fill(std::begin(group), std::end(group), std::nextafter(2048.0f, 0.0f));
  auto sum = binned_sum<float>::zero();
  sum.add(group);
  CHECK(static_cast<float>(sum) == 1046527.9375f);  // 511 (2048 - 2^-13), rounded
  std::fill(std::begin(group), std::end(group), -std::numeric_limits<float>::max());
  auto lowest = binned_sum<float>::zero();
  lowest.add(group);
  for (float& x : group) x = -x;
  lowest.add(group);
  CHECK(static_cast<float>(lowest) == 0);
}
