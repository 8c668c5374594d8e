#pragma once
/// \file
/// Where a record's figures come from.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "workbook/device_facts.hpp"

namespace workbook {

/// GPU, driver and toolkit (as CUDA numbers them: 13000), date, command, commit, and in words what the times are times
/// of. \throws device_error
[[nodiscard]] nlohmann::json provenance_of(const std::string& gpu, const std::string& command,
                                           const std::string& commit);

/// The same with the device's peak and ceilings, and with how often was measured, where that is given.
/// \throws device_error
[[nodiscard]] nlohmann::json provenance_of(const device_facts& facts, const std::string& command,
                                           const std::string& commit, std::optional<int> repetitions = {});

}  // namespace workbook
