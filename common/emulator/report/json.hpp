#pragma once
/// \file
/// Reports as JSON: the `launches` and `findings` of schema 1.

#include <nlohmann/json.hpp>

#include "emulator/emulator.hpp"

namespace emulator::report {

/// {"check", "kind", "kernel", "file", "line", "message", "count"}, and "other_file", "other_line" for a race.
[[nodiscard]] nlohmann::json to_json(const finding& f);

/// {"kernel", "grid", "block", "counters", "lines", …} of one launch.
[[nodiscard]] nlohmann::json to_json(const launch_report& r);

}  // namespace emulator::report
