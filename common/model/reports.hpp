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

}  // namespace model
