#pragma once
/// \file
/// The report that a program leaves when it ends, as text and as data.

#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/report/suppressions.hpp"

namespace emulator::runtime {

/// All that a program has done and that was found in it.
struct exit_report {
  std::vector<launch_report> launches;
  std::vector<finding> in_calls;                  ///< In calls of the runtime.
  std::vector<finding> suppressed;                ///< Taken out of those above.
  std::vector<report::suppression> suppressions;  ///< With how often each was used.
};

/// Returns launches and findings in words; empty where no kernel ran and nothing was found. A finding whose cause an
/// earlier launch had stands there, with how often it was seen in all; the later one refers to it.
[[nodiscard]] std::string exit_report_text(const exit_report& seen);

/// Returns {"schema": 1, "launches": […], "findings": […], "suppressed": […], "unused_suppressions": […]}. `findings`
/// and `suppressed` have one entry for each cause, launches their own findings.
[[nodiscard]] std::string exit_report_json(const exit_report& seen);

}  // namespace emulator::runtime
