#include "workbook/reference.hpp"

#include <limits>

#include "workbook/sum_of_terms.hpp"

namespace workbook {

std::string name_of(element_type type) {
  static constexpr const char* names[] = {"int", "unsigned", "longlong", "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

reference_sum sum_on_host(element_type type, std::size_t n, std::uint64_t seed) {
  return with_type(type, [&](auto* tag) {
    return sum_of_terms(n,
                        [seed](std::size_t i) { return input_value<std::remove_pointer_t<decltype(tag)>>(i, seed); });
  });
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
