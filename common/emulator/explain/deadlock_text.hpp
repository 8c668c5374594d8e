#pragma once
/// \file
/// The text of a grid that can go no further.

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/explain/finding_text.hpp"

namespace emulator::explain {

/// What the phase of an `mbarrier` still needs to end.
struct object_phase {
  std::uint32_t arrivals = 0;  ///< How many it needs in all.
  std::uint32_t missing = 0;   ///< How many of these have not come.
  std::int32_t bytes = 0;      ///< Announced and not copied; negative where more was copied than announced.
};

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
  std::optional<object_phase> object;  ///< Where they look at an `mbarrier` of their own block.
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

}  // namespace emulator::explain
