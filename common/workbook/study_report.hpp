#pragma once
/// \file
/// The table of a study, for people and as JSON.

#include <string>

#include <nlohmann/json.hpp>

#include "workbook/report.hpp"

namespace workbook {

/// Returns the rows of counts (emulator) or of times (GPU), heads included.
[[nodiscard]] std::string study_rows(const study& s, const run_result& r);

/// Returns what compiler and occupancy calculator say, or null.
[[nodiscard]] nlohmann::json as_json(const std::optional<compiled_facts>& compiled);

}  // namespace workbook
