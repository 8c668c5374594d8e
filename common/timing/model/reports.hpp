#pragma once
/// \file
/// Predictions from a report of the emulator, without running the program.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "timing/model/counts.hpp"
#include "timing/model/gpu.hpp"

namespace model {

/// Returns the counts of a launch from a report: {"kernel", "grid", "block", "counters", "path", "occupancy", …}.
[[nodiscard]] counts counts_of(const nlohmann::json& launch);

/// Returns the predicted time of each kernel by term, for all its launches together, and how to shorten it.
/// \param report  as the emulator writes it: {"launches": [{"kernel", "grid", "block", "counters", "path", …}]}
[[nodiscard]] std::string predicted_text(const gpu& on, const nlohmann::json& report);

/// Returns the same as JSON: an array with an entry for each kernel, in the order of their first launches. An entry has
/// "kernel", "launches" and "gpu". If there is a time, it also has the members of to_json() of a prediction; if there
/// is none, "unknown" has the reason. "note" is a remark about the times of this GPU, if there is one.
[[nodiscard]] nlohmann::json predictions_of(const gpu& on, const nlohmann::json& report);

}  // namespace model
