#pragma once
/// \file
/// Reports as JSON: the `launches` and `findings` of schema 1.

#include <nlohmann/json_fwd.hpp>

#include "emulator/emulator.hpp"
#include "emulator/report/causes.hpp"
#include "emulator/report/diagnosis.hpp"

namespace emulator::report {

/// {"check", "kind", "kernel", "file", "line", "message", "count"}, and "other_file", "other_line" for a race.
[[nodiscard]] nlohmann::json to_json(const finding& f);

/// The first finding, and "launches", "occurrences": [{"launch", "message"}, …].
[[nodiscard]] nlohmann::json to_json(const cause& c);

/// {"kind", "message"}, and "file", "line" if it concerns a line.
[[nodiscard]] nlohmann::json to_json(const diagnosis& d);

/// {"kernel", "grid", "block", "counters", "occupancy", "lines", "diagnoses", …} of one launch. A line has
/// "worst_conflict" and "worst_request" if there are any.
[[nodiscard]] nlohmann::json to_json(const launch_report& r);

}  // namespace emulator::report
