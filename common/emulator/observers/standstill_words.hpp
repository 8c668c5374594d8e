#pragma once
/// \file
/// Words for a grid that can go no further.

#include <cstdint>
#include <vector>

#include "emulator/observers/words.hpp"

namespace emulator::observers {

/// Where threads of a block wait.
struct place_of_wait {
  bool at_barrier = false;  ///< Of block, warp or cluster; else they look at memory again and again.
  bool at_cluster_barrier = false;
  std::uint32_t pc = 0;
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;
  std::uint64_t address = 0;  ///< What they look at: in `space`.
  std::uint32_t bytes = 0;
  ptx::state_space space = ptx::state_space::global;
};

struct waiting_block {
  block_identity identity;
  std::vector<place_of_wait> places;
};

/// A grid of which no block can go on.
struct standstill {
  std::vector<waiting_block> blocks;  ///< Those that have started and not ended, in rising order.
  std::uint64_t grid_blocks = 0;
  std::uint64_t not_started = 0;
  std::uint64_t fit_at_once = 0;   ///< Blocks that the device runs at a time.
  std::uint64_t grid_barrier = 0;  ///< Where the barrier of a cooperative grid lies; 0: there is none.
};

/// Says who waits where, and for what. \pre some place of some block is no barrier, or the cluster's
[[nodiscard]] finding describe(const naming& names, const standstill& what);

}  // namespace emulator::observers
