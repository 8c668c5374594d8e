#pragma once
/// \file
/// The line profile of a launch: the kernel's source with the cost of each line, sections with the names that Nsight
/// Compute uses, and a diagnosis as text.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/report/diagnosis.hpp"

namespace emulator::report {

/// Options for printing a profile.
struct profile_style {
  std::size_t width = 100;  ///< Columns, 80 to 120.
  bool color = false;       ///< Also mark lines with escape sequences; the output is complete without them.
  /// Returns a sentence to add to a diagnosis, such as where to learn about the remedy, or an empty string. May be
  /// empty.
  std::function<std::string(const diagnosis&)> advice;
};

/// Returns the style for the device of a file descriptor. For a terminal: its width, and colour unless NO_COLOR is set.
/// For files and pipes: no colour, and COLUMNS columns if that is set. The width is always from 80 to 120 columns.
[[nodiscard]] profile_style style_for(int file_descriptor);

/// One launch out of those of the same kernel: the one with the most warp instructions (the first on a tie).
struct chosen_launch {
  const launch_report* launch = nullptr;
  std::size_t number = 1;  ///< Among the launches of the kernel, counted from 1.
  std::size_t of = 1;      ///< The number of launches of the kernel.
};

/// Chooses a launch of each kernel, in the order in which the kernels were first launched. The result points into
/// `launches`.
[[nodiscard]] std::vector<chosen_launch> choose_launches(std::span<const launch_report> launches);

/// Returns the whole profile of one launch. Counts by line are averages per block, those in sections are totals of the
/// launch. Sectors and ideal sectors of a line are those of its loads or stores, whichever are further from the ideal.
[[nodiscard]] std::string profile_text(const chosen_launch& chosen, const profile_style& style);

/// Returns the profiles of all kernels, one after the other, or a message if nothing was launched.
[[nodiscard]] std::string profile_text(std::span<const launch_report> launches, const profile_style& style);

/// Returns only the sections: Launch Statistics, Occupancy, Memory Workload Analysis, Warp State Statistics,
/// Instruction Statistics, Source Counters. Unknown values are left out.
[[nodiscard]] std::string sections_text(const launch_report& launch);

}  // namespace emulator::report
