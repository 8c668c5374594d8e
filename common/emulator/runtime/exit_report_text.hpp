#pragma once
/// \file
/// The report that a program leaves when it ends, as text and as data.

#include <string>
#include <vector>

#include "emulator/emulator.hpp"

namespace emulator::runtime {

/// Returns the launches and findings in words; empty where no kernel ran and nothing was found.
/// \param in_calls  findings in calls of the runtime
[[nodiscard]] std::string exit_report_text(const std::vector<launch_report>& launches,
                                           const std::vector<finding>& in_calls);

/// Returns {"schema": 1, "launches": […], "findings": […]}.
[[nodiscard]] std::string exit_report_json(const std::vector<launch_report>& launches,
                                           const std::vector<finding>& in_calls);

}  // namespace emulator::runtime
