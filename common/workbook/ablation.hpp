#pragma once
/// \file
/// Experiments on a kernel: something is taken out of its PTX, and the rest is timed. What is left computes nothing of
/// use; that is the point.

#include <array>
#include <string>
#include <string_view>

namespace workbook {

/// What is left of a kernel. "Loads" are those from global memory, "conflicts" those in banks of shared memory.
enum class ablation {
  whole,         ///< All of it, through the same compiler as the others.
  empty,         ///< Blocks start with all that they own, and end at once.
  loads,         ///< Up to the first exchange between threads (barrier, shuffle): starts, addresses, loads.
  no_loads,      ///< A load is the address that it would read.
  no_barriers,   ///< At a barrier of the block a warp waits for its own lanes only.
  no_conflicts,  ///< Every access to shared memory goes to the thread's own word.
  conflicts_only,
  barriers_only,
  loads_only,     ///< Of the three; the instructions around them stay.
  instructions,   ///< Neither loads nor barriers nor conflicts.
  half_resident,  ///< All of it, but half as many blocks are on a multiprocessor at a time.
};

inline constexpr std::array all_ablations = {ablation::whole,          ablation::empty,         ablation::loads,
                                             ablation::no_loads,       ablation::no_barriers,   ablation::no_conflicts,
                                             ablation::conflicts_only, ablation::barriers_only, ablation::loads_only,
                                             ablation::instructions,   ablation::half_resident};

/// Returns the name in records: "no_loads".
[[nodiscard]] std::string_view name_of(ablation what);

/// Returns a module of one kernel with what `left` takes out of it taken out.
/// \param ptx  as nvcc writes it: one instruction per line
/// \throws std::runtime_error  where the kernel exchanges nothing between threads, and `loads` is asked for, or where
///                             it is not clear whether an instruction is to be taken out
[[nodiscard]] std::string ablated(std::string_view ptx, ablation left);

}  // namespace workbook
