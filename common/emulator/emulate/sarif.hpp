#pragma once
/// \file
/// Findings for services that show them next to the source: SARIF 2.1.0, and annotations of GitHub.
///
/// All functions take the report that a program has left (runtime/exit_report.cpp), with one finding for each cause.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace emulate {

/// Returns the folder that paths are relative to: GitHub's checkout if there is one, otherwise the current folder.
[[nodiscard]] std::string source_root();

/// Returns a SARIF log of one run: a rule for each check and kind, a result for each cause, and for a race a flow of
/// each of its two threads. Suppressed findings are included, and marked as such.
/// \param root    paths of files below it are relative to it
/// \param status  the exit status of `emulate`
[[nodiscard]] std::string sarif_text(const nlohmann::json& report, const std::string& root, const std::string& version,
                                     int status);

/// Returns a workflow command `::error …` for each cause, one per line.
[[nodiscard]] std::string github_annotations(const nlohmann::json& report, const std::string& root);

}  // namespace emulate
