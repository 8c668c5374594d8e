#pragma once
/// \file
/// Blocks of a cluster, which run together, wait for each other and reach each other's shared memory. One host thread
/// runs all of them, in turns.

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/simt/block.hpp"
#include "emulator/simt/standstill.hpp"

namespace emulator::simt {

/// A cluster in flight.
struct cluster_group {
  std::uint64_t number = 0;
  std::vector<block*> blocks;          ///< By rank; null where the block has left the kernel.
  std::vector<std::uint64_t> numbers;  ///< By rank: the blocks' linear numbers.
  std::uint32_t arrived_threads = 0;   ///< At the barrier, in the phase under way.
  change_note changes;                 ///< Of its blocks, as long as they run by themselves.
};

/// Says whether launches of that kernel and shape have clusters that anybody could notice.
[[nodiscard]] inline bool has_clusters(const launch_constants& launch) {
  return launch.cluster_size > 1 || launch.code->knows_clusters;
}

/// The linear number of the k-th block, where those of a cluster come one after the other.
[[nodiscard]] std::uint64_t block_of_clusters(const launch_constants& launch, std::uint64_t k);

}  // namespace emulator::simt
