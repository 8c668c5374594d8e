#pragma once
/// \file
/// Predictions as text for people, and as JSON.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "timing/model/prediction.hpp"

namespace model {

/// Why there is no time for a program whose host waits for the device between launches.
inline constexpr const char* host_waits =
    "the program waits for the GPU between its launches, and what the host takes meanwhile is not part of the model";

/// Returns the terms and the launches with the times that they would take alone, in descending order.
[[nodiscard]] std::vector<term> parts_of(const prediction& p);

/// Returns "Predicted for an NVIDIA H200: 10.6 us, cold. By themselves would take:", and a bar for each part. If there
/// is no time, returns a line with the reason.
[[nodiscard]] std::string parts_text(const machine& m, const prediction& p);

/// Returns a sentence with the share of the time that one of its limits takes, and with what would shorten it: "Block
/// starts alone take 97 % of it: fewer blocks that each do more remove them." Empty if there is no such limit.
[[nodiscard]] std::string advice_of(const prediction& p, const std::string& limit);

/// Returns {"gpu", "us", "launch_us", "limits", "terms": {name: us}}, or {"gpu", "unknown"}.
[[nodiscard]] nlohmann::json to_json(const machine& m, const prediction& p);

}  // namespace model
