#pragma once
/// \file
/// The sum of what lies in the memories of several GPUs, compared with that of one.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workbook/element.hpp"

namespace chapter16 {

/// What grows with the number of GPUs: the input, of which each has as much as one alone (weak scaling), or nothing,
/// and they share what one alone has (strong scaling).
enum class growth { of_input, of_none };

struct resident_sum {
  unsigned gpus = 1;
  std::size_t count = 0;  ///< Elements on each.
  bool right = false;
  double microseconds = 0;  ///< Median, queued behind work; 0 on the emulator.
};

/// Sums `count` inputs on one GPU, and on 2, 4 … GPUs, up to `gpus` and with it, as many on each, or as many in all
/// (but for a remainder): each its own, all at once. Their sums meet in the host's memory.
/// \throws workbook::device_error
[[nodiscard]] std::vector<resident_sum> sum_resident(workbook::element_type type, std::size_t count, unsigned gpus,
                                                     std::uint64_t seed, int repetitions,
                                                     growth with = growth::of_input);

/// Returns them as a table, with times where there are any.
[[nodiscard]] std::string text_of(const std::vector<resident_sum>& rows, std::size_t element_bytes);

}  // namespace chapter16
