#pragma once
/// \file
/// The facts about a device that are needed to interpret its measurements, and the provenance of a record.

#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "workbook/ceilings.hpp"

namespace workbook {

struct device_facts {
  std::string kind;  ///< "gpu" or "emulator".
  std::string name;
  int devices = 1;  ///< Number of devices.
  int major = 0, minor = 0;
  int multiprocessors = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  ceilings most;             ///< Measured ceilings; 0 on the emulator.
  double peak_gb_per_s = 0;  ///< Computed from memory clock and bus width; 0 on the emulator.
};

/// Returns the peak bandwidth of the selected device's memory, from its clock and bus width. \throws device_error
[[nodiscard]] double peak_gb_per_s();

/// Reads the facts of the selected device, and measures its ceilings. \throws device_error
[[nodiscard]] device_facts read_device_facts();

/// Returns the provenance of a record: GPU, driver and toolkit (in CUDA's numbers: 13000), date, command, commit, and a
/// description of what the times measure. \throws device_error
[[nodiscard]] nlohmann::json provenance_of(const std::string& gpu, const std::string& command,
                                           const std::string& commit);

/// Returns the same with the device's peak and ceilings, and with the number of timed runs if it is given.
/// \throws device_error
[[nodiscard]] nlohmann::json provenance_of(const device_facts& facts, const std::string& command,
                                           const std::string& commit, std::optional<int> repetitions = {});

}  // namespace workbook
