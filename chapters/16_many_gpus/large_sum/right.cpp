#include "16_many_gpus/large_sum/right.hpp"

#include <algorithm>
#include <cmath>

namespace chapter16 {

bool is_sum(workbook::element_type type, const workbook::reference_sum& all, const sum_bytes& sum) {
  if (type != workbook::element_type::float32 && type != workbook::element_type::float64) {
    std::uint64_t bits = 0;
    std::copy_n(sum.bytes.begin(), sizeof bits, reinterpret_cast<std::byte*>(&bits));
    return bits == all.bits;
  }
  // The sum is rounded once. We allow a second rounding, which more than covers the errors of the bins and of long
  // double.
  return std::fabs(summing_of(type).value(sum) - all.value) <=
         workbook::error_bound(type, 2, std::fabs(all.value)) +
             workbook::error_bound(workbook::element_type::float64, 2, all.absolute);
}

bool is_sum_of_parts(workbook::element_type type, std::size_t count, unsigned parts, std::uint64_t seed,
                     const sum_bytes& sum) {
  workbook::reference_sum all;
  for (unsigned k = 0; k < parts; ++k) {
    const workbook::reference_sum one = workbook::sum_on_host(type, count, seed + k);
    all.bits += one.bits;
    all.value += one.value;
    all.absolute += one.absolute;
  }
  return is_sum(type, all, sum);
}

}  // namespace chapter16
