#pragma once
/// \file
/// Runs kernels that read the clock.

#include <vector>

#include "tools/machine/bench.hpp"
#include "tools/machine/kernels/clocked.hpp"

namespace workbook::machine {

struct clocked_result {
  double cycles = 0;             ///< Between the readings of the clock.
  std::vector<unsigned> values;  ///< What each thread left.
};

/// Launches once. Synchronises. \throws device_error
[[nodiscard]] clocked_result run_clocked(const clocked_kernel& k, unsigned repetitions);

/// Returns the cycles of a step: what more repetitions cost more, so that reading the clock cancels; the least of
/// several runs. On the emulator it runs the kernel once, compares what can be compared, and returns NaN.
[[nodiscard]] double cycles_of_step(bench& b, const clocked_kernel& k);

}  // namespace workbook::machine
