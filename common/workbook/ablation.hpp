#pragma once
/// \file
/// Experiments on a kernel: parts of its PTX are removed, and the rest is timed. The edited kernel no longer computes
/// anything useful, because only its time matters.

#include <array>
#include <string>
#include <string_view>

namespace workbook {

/// The parts of a kernel that an experiment keeps or removes. "Loads" are loads from global memory, and "conflicts" are
/// bank conflicts in shared memory.
enum class ablation {
  whole,         ///< The full kernel, compiled in the same way as the others.
  empty,         ///< Blocks start with all their resources and end at once.
  loads,         ///< Up to the first exchange between threads (barrier, shuffle): starts of blocks, addresses, loads.
  no_loads,      ///< A load's result is the address that it would read.
  no_barriers,   ///< At a barrier of the block, a warp waits only for its own lanes.
  no_conflicts,  ///< Every access to shared memory uses the thread's own word.
  conflicts_only,
  barriers_only,
  loads_only,     ///< Loads without barriers and conflicts. All other instructions stay.
  instructions,   ///< No loads, barriers or conflicts.
  half_resident,  ///< The full kernel with half as many resident blocks per SM.
};

inline constexpr std::array all_ablations = {ablation::whole,          ablation::empty,         ablation::loads,
                                             ablation::no_loads,       ablation::no_barriers,   ablation::no_conflicts,
                                             ablation::conflicts_only, ablation::barriers_only, ablation::loads_only,
                                             ablation::instructions,   ablation::half_resident};

/// Returns the ablation's name in records, such as "no_loads".
[[nodiscard]] std::string_view name_of(ablation what);

/// Returns a module with one kernel, without the parts that `left` removes.
/// \param ptx  as nvcc writes it: one instruction per line
/// \throws std::runtime_error  if it is not clear whether an instruction must be removed, or if `left` is `loads` and
///                             the kernel's threads exchange nothing
[[nodiscard]] std::string ablated(std::string_view ptx, ablation left);

}  // namespace workbook
