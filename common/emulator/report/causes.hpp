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

/// The same for the notes of launches.
[[nodiscard]] std::vector<cause> causes_of_notes(const std::vector<launch_report>& launches);

/// A cause, and those that need no fix of their own.
struct root_cause {
  cause root;
  std::vector<cause> following;
};

/// Returns the causes without those that follow from a different one, which are listed with it. In the launches of a
/// cause that follows, the root occurred, too:
/// - behind a barrier that some threads don't reach, or at different barriers: races in shared memory, uninitialised
///   shared memory, and the deadlock;
/// - at one of the two places of a race in shared memory: uninitialised elements of the same array;
/// - after uninitialised elements of a shared array: others of that array in other lines.
[[nodiscard]] std::vector<root_cause> root_causes_of(const std::vector<launch_report>& launches,
                                                     const std::vector<finding>& in_calls);

}  // namespace emulator::report
