#pragma once
/// \file
/// The text for a grid that is deadlocked.

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/explain/finding_text.hpp"

namespace emulator::explain {

/// The arrivals and bytes that the phase of an `mbarrier` still needs to complete.
struct object_phase {
  std::uint32_t arrivals = 0;  ///< Number of arrivals that it needs.
  std::uint32_t missing = 0;   ///< Number of these that are missing.
  std::int32_t bytes = 0;      ///< Expected minus copied bytes; negative if more have been copied than were expected.
};

/// A place at which threads of a block wait.
struct place_of_wait {
  bool at_barrier = false;  ///< A barrier of the block, the warp or the cluster; else the threads poll memory.
  bool at_cluster_barrier = false;
  std::uint32_t pc = 0;
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;
  std::uint64_t address = 0;  ///< The address that they poll, in `space`.
  std::uint32_t bytes = 0;
  ptx::state_space space = ptx::state_space::global;
  std::optional<object_phase> object;  ///< Set if they poll an `mbarrier` of their own block.
};

struct waiting_block {
  block_identity identity;
  std::vector<place_of_wait> places;
};

/// A grid in which no block can make progress.
struct grid_deadlock {
  std::vector<waiting_block> blocks;  ///< Blocks that have started and not ended, in ascending order.
  std::uint64_t grid_blocks = 0;
  std::uint64_t not_started = 0;
  std::uint64_t fit_at_once = 0;   ///< Number of blocks that the device runs at a time.
  std::uint64_t grid_barrier = 0;  ///< Address of the barrier of a cooperative grid; 0: none.
};

/// Returns a finding about which threads wait where, and for what. \pre some threads poll memory or wait at the
/// cluster's barrier
[[nodiscard]] finding describe(const naming& names, const grid_deadlock& what);

}  // namespace emulator::explain
