#include "workbook/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

namespace workbook {
namespace {

/// Sums in a balanced tree: the error grows with log n, not n.
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

template <typename T>
reference_sum sum_range(std::size_t begin, std::size_t end, std::uint64_t seed) {
  reference_sum result;
  if constexpr (std::is_integral_v<T>) {
    for (std::size_t i = begin; i < end; ++i) result.bits += static_cast<std::uint64_t>(input_value<T>(i, seed));
  } else {
    pairwise_sum sum, absolute;
    constexpr std::size_t group = 32;
    for (std::size_t i = begin; i < end;) {
      long double part = 0, part_absolute = 0;
      for (const std::size_t stop = std::min(end, i + group); i < stop; ++i) {
        const T x = input_value<T>(i, seed);
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

template <typename T>
reference_sum sum_all(std::size_t n, std::uint64_t seed) {
  const std::size_t threads = n < (1u << 16) ? 1 : std::max(1u, std::thread::hardware_concurrency());
  std::vector<reference_sum> parts(threads);
  std::vector<std::thread> helpers;
  for (std::size_t k = 1; k < threads; ++k) {
    helpers.emplace_back(
        [&, k] { parts[k] = sum_range<T>(n / threads * k, k + 1 == threads ? n : n / threads * (k + 1), seed); });
  }
  parts[0] = sum_range<T>(0, threads == 1 ? n : n / threads, seed);
  for (std::thread& t : helpers) t.join();
  reference_sum total;
  for (const reference_sum& p : parts) {
    total.bits += p.bits;
    total.value += p.value;
    total.absolute += p.absolute;
  }
  return total;
}

}  // namespace

std::string name_of(element_type type) {
  static constexpr const char* names[] = {"int", "unsigned", "longlong", "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

reference_sum sum_on_host(element_type type, std::size_t n, std::uint64_t seed) {
  return with_type(type, [&](auto* tag) { return sum_all<std::remove_pointer_t<decltype(tag)>>(n, seed); });
}

double error_bound(element_type type, std::size_t depth, long double absolute) {
  if (type != element_type::float32 && type != element_type::float64) return 0;
  const double u = type == element_type::float32 ? std::numeric_limits<float>::epsilon() / 2.0
                                                 : std::numeric_limits<double>::epsilon() / 2.0;
  const double du = static_cast<double>(depth) * u;
  if (du >= 1) return std::numeric_limits<double>::infinity();
  return du / (1 - du) * static_cast<double>(absolute);
}

}  // namespace workbook
