#pragma once
/// \file
/// Checks a sum against the one that the host computes.

#include <cstddef>
#include <cstdint>

#include "16_many_gpus/large_sum/summing.hpp"
#include "workbook/reference.hpp"

namespace chapter16 {

/// Returns true if `sum` agrees with the host's. Floating-point sums may differ by the bound of
/// reductions/binned_sum.cuh, and once more by as much because of the host's sum.
[[nodiscard]] bool is_sum(workbook::element_type type, const workbook::reference_sum& all, const sum_bytes& sum);

/// Returns true if `sum` is that of the inputs with the seeds `seed` to `seed + parts - 1`, `count` each. As above.
[[nodiscard]] bool is_sum_of_parts(workbook::element_type type, std::size_t count, unsigned parts, std::uint64_t seed,
                                   const sum_bytes& sum);

}  // namespace chapter16
