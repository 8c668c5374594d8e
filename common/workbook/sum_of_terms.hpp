#pragma once
/// \file
/// Sums of any terms on the host, far more accurate than in any kernel, for comparison with results.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include "workbook/reference.hpp"

namespace workbook {

/// Sums in a balanced tree, so the error grows with log n instead of n.
class pairwise_sum {
 public:
  void add(long double x) {
    std::size_t level = 0;
    for (; level < full_.size() && full_[level]; ++level) {
      x += parts_[level];
      full_[level] = false;
    }
    parts_.at(level) = x;
    full_.at(level) = true;
  }
  [[nodiscard]] long double value() const {
    long double sum = 0;
    for (std::size_t level = 0; level < full_.size(); ++level) {
      if (full_[level]) sum += parts_[level];
    }
    return sum;
  }

 private:
  std::array<long double, 64> parts_{};
  std::array<bool, 64> full_{};
};

/// Sums term(begin) to term(end - 1): integers, or floating-point numbers of any width.
template <typename Term>
reference_sum sum_of_terms(std::size_t begin, std::size_t end, const Term& term) {
  using T = std::remove_cvref_t<std::invoke_result_t<Term, std::size_t>>;
  reference_sum result;
  if constexpr (std::is_integral_v<T>) {
    for (std::size_t i = begin; i < end; ++i) result.bits += static_cast<std::uint64_t>(term(i));
  } else {
    pairwise_sum sum, absolute;
    constexpr std::size_t group = 32;
    for (std::size_t i = begin; i < end;) {
      long double part = 0, part_absolute = 0;
      for (const std::size_t stop = std::min(end, i + group); i < stop; ++i) {
        const T x = term(i);
        part += x;
        part_absolute += std::fabs(x);
      }
      sum.add(part);
      absolute.add(part_absolute);
    }
    result.value = sum.value();
    result.absolute = absolute.value();
  }
  return result;
}

/// As above, for the first n terms, using all of the host's cores.
template <typename Term>
reference_sum sum_of_terms(std::size_t n, const Term& term) {
  const std::size_t threads = n < (1u << 16) ? 1 : std::max(1u, std::thread::hardware_concurrency());
  std::vector<reference_sum> parts(threads);
  std::vector<std::thread> helpers;
  for (std::size_t k = 1; k < threads; ++k) {
    helpers.emplace_back(
        [&, k] { parts[k] = sum_of_terms(n / threads * k, k + 1 == threads ? n : n / threads * (k + 1), term); });
  }
  parts[0] = sum_of_terms(0, threads == 1 ? n : n / threads, term);
  for (std::thread& t : helpers) t.join();
  reference_sum total;
  for (const reference_sum& p : parts) {
    total.bits += p.bits;
    total.value += p.value;
    total.absolute += p.absolute;
  }
  return total;
}

}  // namespace workbook
