#pragma once
/// \file
/// Findings that a project knows of and does not want to hear about: a file with a line for each kind of them.
///
///     # why this one is fine
///     CHECK: KIND | FILE | KERNEL [| LINE]
///
/// As the report names them; `*` stands for any text in the first three. FILE is a whole path, or the end of one from a
/// folder's name on. Where a race has two places, either may be the one.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"

namespace emulator::report {

/// One line of such a file.
struct suppression {
  std::string place;  ///< "FILE:LINE" of the line itself, for messages.
  std::string text;   ///< The line as it is.
  std::string kind, file, kernel;
  std::uint32_t line = 0;  ///< 0: any.
  std::uint64_t used = 0;  ///< Findings that it has suppressed.
};

/// A line that is none; the message names it and says what a line looks like.
class bad_suppression : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads the text of a file. \param name  of the file, for messages. \throws bad_suppression
[[nodiscard]] std::vector<suppression> read_suppressions(const std::string& text, const std::string& name);

/// Says whether a line suppresses a finding.
[[nodiscard]] bool matches(const suppression& one, const finding& f);

/// Takes what is suppressed out of the findings of launches and calls, and counts who did it: the first that matches.
/// Returns what was taken, as launches and calls have it.
std::vector<finding> suppress(std::vector<suppression>& all, std::vector<launch_report>& launches,
                              std::vector<finding>& in_calls);

}  // namespace emulator::report
