#pragma once
/// \file
/// The facts of a device that figures need beside them, and where a record's figures come from.

#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

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

/// GPU, driver and toolkit (as CUDA numbers them: 13000), date, command, commit, and in words what the times are times
/// of. \throws device_error
[[nodiscard]] nlohmann::json provenance_of(const std::string& gpu, const std::string& command,
                                           const std::string& commit);

/// The same with the device's peak and ceilings, and with how often was measured, where that is given.
/// \throws device_error
[[nodiscard]] nlohmann::json provenance_of(const device_facts& facts, const std::string& command,
                                           const std::string& commit, std::optional<int> repetitions = {});

}  // namespace workbook
