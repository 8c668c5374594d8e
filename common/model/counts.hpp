#pragma once
/// \file
/// What one launch does, as far as its time hangs on it.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/emulator.hpp"

namespace model {

/// All numbers are of the whole launch unless they say otherwise. They may be fractions: of a size between two others.
struct counts {
  double blocks = 0;
  double threads_per_block = 0;
  double blocks_per_multiprocessor = 0;
  double path_cycles = 0, path_waits = 0;        ///< Of a block: see `emulator::path_report`.
  double longest_cycles = 0, longest_waits = 0;  ///< Of the block that takes longest, of those that are followed.
  double last_cycles = 0, last_waits = 0;  ///< Of the last block of several, which may gather the others' results.
  double instructions = 0;                 ///< Of warps; copies between registers are none.
  double divisions = 0;                    ///< Of warps; also remainders.
  double shared_passes = 0;
  double sectors = 0;  ///< Of global memory, read and written.
  double local_sectors = 0, global_atomics = 0;
  double cooperative = 0;    ///< 1: its blocks may wait for each other.
  double lines = 0;          ///< Of 128 bytes, of global memory, summed over the warps' accesses.
  double sectors_near = 0;   ///< Of those read, how many the multiprocessor's cache still has.
  double sectors_again = 0;  ///< Of those read, how many a block had read, but too long ago for that.

  bool operator==(const counts&) const = default;
};

/// \return the counts of an emulated launch that was counted
[[nodiscard]] counts counts_of(const emulator::launch_report& report);

/// The counts at size `n` of a kernel that was counted at two sizes: each grows with the size as it did between them.
/// \param small, large  at sizes `small_n` < `large_n`
[[nodiscard]] counts extrapolated(const counts& small, double small_n, const counts& large, double large_n, double n);

/// Of a launch that does the same in every block, with another number of blocks.
[[nodiscard]] counts with_blocks(counts c, double blocks);

/// What stands at each place of the counts of a launch in JSON, which are an array: they are many, and of many
/// launches.
[[nodiscard]] std::vector<std::string> names_of_counts();
void to_json(nlohmann::json& j, const counts& c);
void from_json(const nlohmann::json& j, counts& c);

}  // namespace model
