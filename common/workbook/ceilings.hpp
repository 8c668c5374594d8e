#pragma once
/// \file
/// What the GPU can do at most, measured on the spot: no kernel that reads from memory is faster.

#include <cstddef>

namespace workbook {

/// The fastest of several runs and of a few launch shapes, on arrays that L2 cannot hold.
struct ceilings {
  double read_gb_per_s = 0;   ///< Every byte of an array read once, and nothing kept.
  double copy_gb_per_s = 0;   ///< One array copied to another: bytes read plus bytes written.
  double launch_us = 0;       ///< From event to event around a kernel that does nothing, queued behind work …
  double idle_launch_us = 0;  ///< … and on an idle GPU, which has to wake up first.
  /// What each further one behind it in the same stream adds.
  double further_launch_us = 0;
  std::size_t array_bytes = 0;
};

/// Measures the selected device; on the emulator, which has no time, all figures are 0.
/// \throws device_error
[[nodiscard]] ceilings measure_ceilings();

}  // namespace workbook
