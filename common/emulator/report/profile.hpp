#pragma once
/// \file
/// The line profile of a launch: the kernel's own source with what each line cost, sections as Nsight Compute names
/// them, and a diagnosis in words.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/report/diagnosis.hpp"

namespace emulator::report {

/// How a profile is printed.
struct profile_style {
  std::size_t width = 100;  ///< Columns, 80 to 120.
  bool color = false;       ///< Marks by escape sequences too; all can be read without them.
  /// What to add to a diagnosis, such as where a remedy is taught; a sentence, or empty. May be empty itself.
  std::function<std::string(const diagnosis&)> advice;
};

/// Returns the style that suits what is behind a file descriptor: a terminal's width, and colour unless NO_COLOR is
/// set; for files and pipes no colour, and COLUMNS columns where that is set. Never below 80 or above 120 columns.
[[nodiscard]] profile_style style_for(int file_descriptor);

/// One launch of those of the same kernel: the one that executed the most warp instructions (of several, the first).
struct chosen_launch {
  const launch_report* launch = nullptr;
  std::size_t number = 1;  ///< Among the launches of that kernel, from 1.
  std::size_t of = 1;      ///< How many there were.
};

/// Chooses a launch of each kernel, in the order in which the kernels were first launched. What it returns points into
/// `launches`.
[[nodiscard]] std::vector<chosen_launch> choose_launches(std::span<const launch_report> launches);

/// The whole profile of one launch. Counts by line are averages per block; the sections' are of the
/// launch. Sectors and ideal are the loads' or the stores', whichever of the line are further from the ideal.
[[nodiscard]] std::string profile_text(const chosen_launch& chosen, const profile_style& style);

/// The profiles of all kernels, one after the other; words of its own where nothing was launched.
[[nodiscard]] std::string profile_text(std::span<const launch_report> launches, const profile_style& style);

/// The sections alone: Launch Statistics, Occupancy, Memory Workload Analysis, Warp State Statistics, Instruction
/// Statistics, Source Counters.
/// What is not known is not in them.
[[nodiscard]] std::string sections_text(const launch_report& launch);

}  // namespace emulator::report
