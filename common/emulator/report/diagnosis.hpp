#pragma once
/// \file
/// The costs in a launch that a programmer can remove, with their source lines, as text.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"

namespace emulator::report {

/// One cost. `kind` is one of the names below, which are stable, so that other code can add advice.
struct diagnosis {
  std::string kind;
  std::string file;        ///< As the compiler saw it; empty if it concerns the whole launch.
  std::uint32_t line = 0;  ///< 0 if it concerns the whole launch.
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

/// Applies all rules to a launch. Returns the results by file and line, and those that concern the whole launch last.
/// Empty if counters were off.
[[nodiscard]] std::vector<diagnosis> diagnose(const launch_report& launch);

/// Returns the resource that limits the number of resident blocks per SM, as Nsight Compute names it: "Registers",
/// "Shared Mem", "Warps" or "SM", or several of them, joined with ", ". Empty if the occupancy is not known.
[[nodiscard]] std::string occupancy_limiter(const occupancy_report& occupancy);

/// Formats a count briefly: "45", "3.74", "229k".
[[nodiscard]] std::string format_short(double value);

}  // namespace emulator::report
