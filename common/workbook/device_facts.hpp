#pragma once
/// \file
/// The facts of a device that figures need beside them.

#include <cstddef>
#include <string>

#include "workbook/ceilings.hpp"

namespace workbook {

struct device_facts {
  std::string kind;  ///< "gpu" or "emulator".
  std::string name;
  int devices = 1;  ///< How many there are.
  int major = 0, minor = 0;
  int multiprocessors = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  ceilings most;             ///< Measured; 0 on the emulator.
  double peak_gb_per_s = 0;  ///< From memory clock and bus width; 0 on the emulator, which has no time.
};

/// Returns what memory clock and bus width of the selected device make of its memory at most. \throws device_error
[[nodiscard]] double peak_gb_per_s();

/// Reads the facts of the selected device, and measures its ceilings. \throws device_error
[[nodiscard]] device_facts read_device_facts();

}  // namespace workbook
