#pragma once
/// \file
/// What the counts of a launch mean, in words: the costs that a programmer can take away, and where they stand.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"

namespace emulator::report {

/// One costly thing. `kind` is one of the names below: stable, so that others can say more about it.
struct diagnosis {
  std::string kind;
  std::string file;        ///< As the compiler saw it; empty for what concerns the launch as a whole.
  std::uint32_t line = 0;  ///< 0 likewise.
  std::string message;     ///< A sentence without its full stop.
};

namespace kinds {
inline constexpr const char* bank_conflict = "bank conflict";
inline constexpr const char* uncoalesced = "uncoalesced access";
inline constexpr const char* misaligned = "misaligned access";
inline constexpr const char* divergence = "divergence";
inline constexpr const char* integer_division = "integer division";
inline constexpr const char* barriers = "barriers";
inline constexpr const char* loop_control = "loop control";
inline constexpr const char* local_memory = "local memory";
inline constexpr const char* atomic_contention = "atomic contention";
inline constexpr const char* unfilled_warps = "unfilled warps";
inline constexpr const char* little_work = "little work per thread";
inline constexpr const char* low_occupancy = "low occupancy";
inline constexpr const char* small_grid = "small grid";
}  // namespace kinds

/// Applies all rules to a launch. Returns what they found, by file and line; what concerns the whole launch is last.
/// Empty where nothing was counted.
[[nodiscard]] std::vector<diagnosis> diagnose(const launch_report& launch);

/// Says what keeps more blocks from running on a multiprocessor at a time, as Nsight Compute names it: "Registers",
/// "Shared Mem", "Warps" or "SM"; several joined with ", ". Empty where the occupancy is not known.
[[nodiscard]] std::string occupancy_limiter(const occupancy_report& occupancy);

/// A count as short as it can be told: "45", "3.74", "229k".
[[nodiscard]] std::string shortly(double value);

}  // namespace emulator::report
