#include "workbook/wrong_values.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace workbook {

std::optional<explanation> explain_cut_values(pass_trial& trial, const problem& given) {
  struct probe {
    double value;
    const char* words;
  };
  std::vector<probe> probes;
  switch (given.type) {
    case element_type::int64:
      probes = {{1099511627781.0, "a long long is cut to 32 bits: a variable on its way is an int or unsigned"},
                {-3.0, "a negative value is changed: a variable on its way is unsigned, and narrower"}};
      break;
    case element_type::uint32:
      probes = {{2000000005.0, "a large unsigned value is changed: a variable on its way is narrower, or a float"}};
      break;
    case element_type::int32:
      probes = {{16777217.0, "an int is rounded: a variable on its way is a float"},
                {100003.0, "an int is cut to 16 bits: a variable on its way is a short"}};
      break;
    case element_type::float64:
      probes = {{0.5, "a fraction is cut off: a variable on its way is an integer"},
                {1.0000000009313226, "a double is rounded: a variable on its way is a float"},
                {1e300, "a large double is changed: a variable on its way is a float"}};
      break;
    default:
      probes = {{0.5, "a fraction is cut off: a variable on its way is an integer"},
                {1.00000095367431640625, "a float is rounded: a variable on its way is narrower"}};
      break;
  }
  for (const probe& one : probes) {
    const std::size_t n = std::min<std::size_t>(std::max<std::size_t>(given.count, 1), 1000);
    std::vector<double> input(n, 0);
    input.back() = one.value;
    const std::optional<double> got = trial.sum(input);
    if (!got || *got == one.value) continue;
    explanation e;
    e.cause = fmt::format("Small whole numbers add up, but {}.", one.words);
    e.example =
        fmt::format("An input of zeros and one {} makes {:.17g}, not {:.17g}.", name_of(given.type), *got, one.value);
    return e;
  }
  return {};
}

}  // namespace workbook
