#pragma once
/// \file
/// Sums of an input in the memories of several GPUs, compared with the sum on one.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workbook/element.hpp"

namespace chapter16 {

/// What grows with the number of GPUs. With `of_input`, each GPU has as many elements as a single one (weak scaling).
/// With `of_none`, all GPUs together have as many as a single one (strong scaling).
enum class growth { of_input, of_none };

struct resident_sum {
  unsigned gpus = 1;
  std::size_t count = 0;  ///< Elements on each GPU.
  bool right = false;
  double microseconds = 0;  ///< Median of calls that are queued after other work; 0 on the emulator.
};

/// Sums on one GPU, on 2, 4 … and finally on all `gpus` GPUs. There are `count` inputs on each, or with strong scaling
/// in all (except for a remainder). All GPUs sum at once, and their sums are combined in the host's memory.
/// \throws workbook::device_error
[[nodiscard]] std::vector<resident_sum> sum_resident(workbook::element_type type, std::size_t count, unsigned gpus,
                                                     std::uint64_t seed, int repetitions,
                                                     growth with = growth::of_input);

/// Returns the sums as a table, with times if there are any.
[[nodiscard]] std::string text_of(const std::vector<resident_sum>& rows, std::size_t element_bytes);

}  // namespace chapter16
