#pragma once
/// \file
/// The GPU's best rates, measured when they are needed. No kernel that reads from memory is faster.

#include <cstddef>

namespace workbook {

/// The best results of several runs and launch shapes, on arrays that do not fit into L2.
struct ceilings {
  double read_gb_per_s = 0;   ///< Reads every byte of an array once, and writes nothing.
  double copy_gb_per_s = 0;   ///< Copies one array to another: bytes read plus bytes written.
  double launch_us = 0;       ///< From event to event around an empty kernel, if it is queued after work …
  double idle_launch_us = 0;  ///< … and on an idle GPU, which has to wake up first.
  /// Time that each further empty kernel in the same stream adds.
  double further_launch_us = 0;
  std::size_t array_bytes = 0;
};

/// Measures the selected device; on the emulator, which cannot measure time, all figures are 0.
/// \throws device_error
[[nodiscard]] ceilings measure_ceilings();

}  // namespace workbook
