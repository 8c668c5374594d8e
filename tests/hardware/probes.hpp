#pragma once
/// \file
/// Kernels made to separate the counters: each does one kind of access in one pattern, so that a difference between the
/// emulator's count and the hardware's has a name.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace probes {

/// One launch.
struct probe {
  std::string name;  ///< What it does: "global load, 4 bytes, stride 32".
  std::function<void()> launch;
  std::string differs = "";  ///< Why counts are not the hardware's, where they are not.
};

/// Memory for all probes, on the current device. Owns it until the program ends.
/// \throws workbook::device_error
[[nodiscard]] std::vector<probe> all();

}  // namespace probes
