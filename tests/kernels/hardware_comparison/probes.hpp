#pragma once
/// \file
/// Kernels that separate the counters from each other. Each makes one kind of access in one pattern, so that a
/// difference between the emulator's count and the hardware's can be attributed to it.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace probes {

/// One launch.
struct probe {
  std::string name;  ///< A description such as "global load, 4 bytes, stride 32".
  std::function<void()> launch;
  std::string differs = "";  ///< Why the counts differ from the hardware's, if they do.
};

/// Returns all probes, with memory on the current device that is freed together with them.
/// \throws workbook::device_error
[[nodiscard]] std::vector<probe> all();

}  // namespace probes
