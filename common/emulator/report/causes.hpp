#pragma once
/// \file
/// Findings by their root cause: one place in the source that is wrong in a hundred launches is one mistake.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"

namespace emulator::report {

/// Where a cause was seen.
struct occurrence {
  std::size_t launch = 0;  ///< Counted from 1, in launch order; 0: in a call of the runtime.
  std::string message;     ///< The finding's own words there.
};

/// Findings of the same check and kind, in the same kernel, at the same source lines. (Where no line is known, those
/// with the same words.)
struct cause {
  finding first;                        ///< With the count of all.
  std::uint64_t launches = 0;           ///< How many launches had it; 0: calls of the runtime.
  std::vector<occurrence> occurrences;  ///< The first few, in launch order.
};

/// How many occurrences of a cause are kept.
inline constexpr std::size_t most_occurrences = 3;

/// Returns the causes in the order in which they were first seen: those of the launches, then those in calls.
[[nodiscard]] std::vector<cause> causes_of(const std::vector<launch_report>& launches,
                                           const std::vector<finding>& in_calls);

}  // namespace emulator::report
