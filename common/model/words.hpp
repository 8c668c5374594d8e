#pragma once
/// \file
/// What predictions say to people, and to programs.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/prediction.hpp"

namespace model {

/// Why a program has no time whose host waits for the device between launches.
inline constexpr const char* host_waits =
    "the program waits for the GPU between its launches, and what the host takes meanwhile is not part of the model";

/// The terms and the launches, the longest first: what each would take alone.
[[nodiscard]] std::vector<term> parts_of(const prediction& p);

/// "Predicted for an NVIDIA H200: 10.6 us, cold. By themselves would take:", and a bar of blocks for each part. Where
/// there is no time, a line that says why.
[[nodiscard]] std::string parts_text(const machine& m, const prediction& p);

/// The share of the time that one of its limits takes, and what would shorten it, in one sentence: "Block starts alone
/// take 97 % of it: fewer blocks that each do more remove them." Empty where there is no such limit.
[[nodiscard]] std::string advice_of(const prediction& p, const std::string& limit);

/// {"gpu", "us", "launch_us", "limits", "terms": {name: us}}, or {"gpu", "unknown"}.
[[nodiscard]] nlohmann::json to_json(const machine& m, const prediction& p);

}  // namespace model
