#pragma once
/// \file
/// Predictions for a program of which only the emulator's report is left.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "model/counts.hpp"
#include "model/gpu.hpp"

namespace model {

/// Takes the counts of a launch from a report: {"kernel", "grid", "block", "counters", "path", "occupancy", …}.
[[nodiscard]] counts counts_of(const nlohmann::json& launch);

/// The predicted time by term of each kernel, all its launches together, and what would shorten it.
/// \param report  as the emulator writes it: {"launches": [{"kernel", "grid", "block", "counters", "path", …}]}
[[nodiscard]] std::string predicted_text(const gpu& on, const nlohmann::json& report);

/// Returns the same as data: an array with an entry for each kernel, in the order of their first launches. An entry has
/// "kernel", "launches" and "gpu". If there is a time, it also has what to_json() of a prediction has; if there is
/// none, "unknown" says why. "note" says what to know about the times of this GPU, if there is anything to know.
[[nodiscard]] nlohmann::json predictions_of(const gpu& on, const nlohmann::json& report);

}  // namespace model
