#pragma once
/// \file
/// The counts of one launch that determine its time.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/emulator.hpp"

namespace model {

/// All numbers are for the whole launch unless stated otherwise. They may be fractions, since a size can be between two
/// others.
struct counts {
  double blocks = 0;
  double threads_per_block = 0;
  double blocks_per_multiprocessor = 0;
  double path_cycles = 0, path_waits = 0;        ///< Per block: see `emulator::path_report`.
  double longest_cycles = 0, longest_waits = 0;  ///< For the slowest of the blocks that are followed.
  double last_cycles = 0, last_waits = 0;        ///< For the last of several blocks, which may gather the results.
  double instructions = 0;                       ///< Warp instructions without copies between registers.
  double divisions = 0;                          ///< Warp divisions, including remainders.
  double shared_passes = 0;
  double sectors = 0;  ///< Sectors of global memory, read and written.
  double local_sectors = 0, global_atomics = 0;
  double cooperative = 0;    ///< 1 if its blocks may wait for each other.
  double lines = 0;          ///< 128-byte lines of global memory, summed over the warps' accesses.
  double sectors_near = 0;   ///< Sectors read that are still in the SM's cache.
  double sectors_again = 0;  ///< Sectors read before, but too long ago to be in that cache.

  bool operator==(const counts&) const = default;
};

/// \return the counts of an emulated launch that ran with counters
[[nodiscard]] counts counts_of(const emulator::launch_report& report);

/// Returns the counts at size `n` of a kernel that was counted at two sizes. Each count is extrapolated linearly.
/// \param small, large  at sizes `small_n` < `large_n`
[[nodiscard]] counts extrapolated(const counts& small, double small_n, const counts& large, double large_n, double n);

/// Returns the counts of a launch that does the same in every block, for a different number of blocks.
[[nodiscard]] counts with_blocks(counts c, double blocks);

/// Returns the names of the entries of a launch's counts in JSON. These are an array without names, because there are
/// many counts of many launches.
[[nodiscard]] std::vector<std::string> names_of_counts();
void to_json(nlohmann::json& j, const counts& c);
void from_json(const nlohmann::json& j, counts& c);

}  // namespace model
