#pragma once
/// \file
/// The counts of one launch from which its time is predicted.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/emulator.hpp"

namespace model {

/// All numbers are for the whole launch unless stated otherwise. They may be fractions, because counts can be
/// extrapolated from other sizes.
struct counts {
  double blocks = 0;
  double threads_per_block = 0;
  double blocks_per_multiprocessor = 0;
  double path_cycles = 0, path_waits = 0;        ///< Average of the followed blocks: see `emulator::path_report`.
  double longest_cycles = 0, longest_waits = 0;  ///< For the slowest of the followed blocks.
  double last_cycles = 0, last_waits = 0;        ///< For the last of several blocks, which may combine all results.
  double instructions = 0;                       ///< Warp instructions, except copies between registers.
  double divisions = 0;                          ///< Warp divisions, including remainders.
  double shared_passes = 0;
  double sectors = 0;  ///< 32-byte sectors of global memory, read and written.
  double local_sectors = 0, global_atomics = 0;
  double cooperative = 0;    ///< 1 if the blocks may wait for each other.
  double lines = 0;          ///< 128-byte lines of global memory, summed over the warps' accesses.
  double sectors_near = 0;   ///< Sectors read that are still in the SM's cache.
  double sectors_again = 0;  ///< Sectors that were read before, but too long ago to be still in that cache.

  bool operator==(const counts&) const = default;
};

/// Returns the counts of an emulated launch that ran with counters.
[[nodiscard]] counts counts_of(const emulator::launch_report& report);

/// Returns the counts at size `n` of a kernel that was counted at two sizes. Each count is extrapolated linearly.
/// \param small, large  at sizes `small_n` < `large_n`
[[nodiscard]] counts extrapolated(const counts& small, double small_n, const counts& large, double large_n, double n);

/// Returns the counts for a different number of blocks, for a launch in which all blocks do the same.
[[nodiscard]] counts with_blocks(counts c, double blocks);

/// Returns the names of a launch's counts in JSON, in order. There the counts are an array without names, because there
/// are many counts of many launches.
[[nodiscard]] std::vector<std::string> names_of_counts();
void to_json(nlohmann::json& j, const counts& c);
void from_json(const nlohmann::json& j, counts& c);

}  // namespace model
