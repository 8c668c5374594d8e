#pragma once
/// \file
/// The findings of a program as text with the source lines, as a compiler writes its errors.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/emulator.hpp"

namespace emulator::report {

/// How findings are printed.
struct finding_style {
  std::size_t width = 100;  ///< Columns, at most; 60 or more.
  bool color = false;       ///< Also mark the text with escape sequences; the output is complete without them.
  bool notes = false;       ///< Print all notes, not only those that this run is close to.
};

/// Returns the style for the device of a file descriptor: colour on a terminal unless NO_COLOR is set, and at most 100
/// columns.
[[nodiscard]] finding_style finding_style_for(int file_descriptor, bool notes);

/// Even without `finding_style::notes`, a 32-bit index gets a note if a launch with `close_to_overflow` times as many
/// threads could overflow it.
inline constexpr double close_to_overflow = 16;

/// Returns the findings, those that are the cause of others first, and then the notes. Each finding has the source
/// lines at its two places, the reason, and how to fix it. The text is empty if there is nothing to print.
[[nodiscard]] std::string findings_text(const std::vector<launch_report>& launches,
                                        const std::vector<finding>& in_calls, const finding_style& style);

/// Returns one line: the numbers of kernels, launches, checks and findings, and how long the program took.
/// \param checks  the number of checks that were on
[[nodiscard]] std::string summary_line(const std::vector<launch_report>& launches, const std::vector<finding>& in_calls,
                                       unsigned checks, double seconds, const finding_style& style);

/// Returns a kernel's name, with the middle of its template arguments left out if it is longer than `columns`, and
/// then with its parameters left out, too.
[[nodiscard]] std::string short_kernel_name(const std::string& name, std::size_t columns = 60);

}  // namespace emulator::report
