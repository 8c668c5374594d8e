#pragma once
/// \file
/// The sum of what lies in the memories of several GPUs, compared with that of one.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workbook/element.hpp"

namespace chapter16 {

struct resident_sum {
  unsigned gpus = 1;
  bool right = false;
  double microseconds = 0;  ///< Median, queued behind work; 0 on the emulator.
};

/// Sums `count` inputs on each of 1, 2, 4 … GPUs, up to `gpus` and with it: each its own, all at once. Their sums meet
/// in the host's memory. \throws workbook::device_error
[[nodiscard]] std::vector<resident_sum> sum_resident(workbook::element_type type, std::size_t count, unsigned gpus,
                                                     std::uint64_t seed, int repetitions);

}  // namespace chapter16
