#pragma once
/// \file
/// Findings that a project wants to hide, listed in a file with one line for each kind of them.
///
///     # why this one is fine
///     CHECK: KIND | FILE | KERNEL [| LINE]
///
/// The names are those of the report; `*` matches any text in the first three. FILE is a whole path, or the end of one,
/// starting at a folder's name. For a race, which has two places, either may match.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"

namespace emulator::report {

/// One line of such a file.
struct suppression {
  std::string place;  ///< "FILE:LINE" of this line of the file, for messages.
  std::string text;   ///< The unchanged line.
  std::string kind, file, kernel;
  std::uint32_t line = 0;  ///< 0: any.
  std::uint64_t used = 0;  ///< Findings that it has suppressed.
};

/// The error for a malformed line. The message names the line and the expected format.
class bad_suppression : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses the text of a file. \param name  of the file, for messages. \throws bad_suppression
[[nodiscard]] std::vector<suppression> read_suppressions(const std::string& text, const std::string& name);

/// Returns true if a line suppresses a finding.
[[nodiscard]] bool matches(const suppression& one, const finding& f);

/// Removes suppressed findings from those of launches and calls, and counts each for the first line that matches it.
/// Returns the removed findings in that order.
std::vector<finding> suppress(std::vector<suppression>& all, std::vector<launch_report>& launches,
                              std::vector<finding>& in_calls);

}  // namespace emulator::report
