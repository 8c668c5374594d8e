#pragma once
/// \file
/// Findings by root cause: a place in the source that is wrong in a hundred launches is one mistake.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"

namespace emulator::report {

/// An occurrence of a cause.
struct occurrence {
  std::size_t launch = 0;  ///< Counted from 1, in launch order; 0: in a runtime call.
  std::string message;     ///< The message of that finding.
};

/// Findings of the same check and kind, in the same kernel, at the same source lines. If no line is known, their
/// messages have to be equal.
struct cause {
  finding first;                        ///< `count` is the total.
  std::uint64_t launches = 0;           ///< The number of launches that had it; 0: it occurred in runtime calls.
  std::vector<occurrence> occurrences;  ///< The first few, in launch order.
};

/// The maximum number of occurrences that are stored for each cause.
inline constexpr std::size_t max_occurrences = 3;

/// Returns the causes in the order of their first occurrence: those in launches, then those in calls.
[[nodiscard]] std::vector<cause> causes_of(const std::vector<launch_report>& launches,
                                           const std::vector<finding>& in_calls);

}  // namespace emulator::report
