#pragma once
/// \file
/// Findings for the services that show them beside the source: SARIF 2.1.0, and annotations of GitHub.
///
/// All take the report that a program has left (runtime/exit_report.cpp), with one finding for each cause.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace emulate {

/// The folder that paths are told from: that of GitHub's checkout where there is one, else the current one.
[[nodiscard]] std::string source_root();

/// Returns a SARIF log of one run: a rule for each check and kind, a result for each cause, and for a race a flow of
/// each of its two threads. What was suppressed is there, and says so.
/// \param root    files below it are named from there
/// \param status  that `emulate` ends with
[[nodiscard]] std::string sarif_text(const nlohmann::json& report, const std::string& root, const std::string& version,
                                     int status);

/// Returns a workflow command `::error …` for each cause, a line each.
[[nodiscard]] std::string github_annotations(const nlohmann::json& report, const std::string& root);

}  // namespace emulate
