#pragma once
/// \file
/// Counts over all launches of a row.

#include <cstddef>
#include <limits>
#include <string>

#include "workbook/measure.hpp"

namespace chapter13 {

/// Returns the counter's sum over all launches, NaN where there is none.
[[nodiscard]] inline double in_all(const workbook::outcome& o, const std::string& counter) {
  if (o.launches.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (const emulator::launch_report& launch : o.launches) {
    const auto found = launch.counters.find(counter);
    if (found != launch.counters.end()) sum += static_cast<double>(found->second);
  }
  return sum;
}

/// Returns the bytes of the 32-byte sectors that loads and stores of global memory touch, per element.
[[nodiscard]] inline double bytes_per_element(const workbook::outcome& o) {
  return 32 *
         (in_all(o, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
          in_all(o, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")) /
         static_cast<double>(o.count);
}

}  // namespace chapter13
