#pragma once
/// \file
/// The counts of a launch, by program counter.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/emulator.hpp"

namespace emulator::observers {

/// The executions of one instruction.
struct instruction_activity {
  std::uint64_t executed = 0;  ///< Warp instructions.
  std::uint64_t lanes = 0;     ///< Active lanes, summed.
  std::uint64_t idle = 0;      ///< Warp instructions without an active lane.
  std::uint64_t special = 0;   ///< Branches: executions that diverged. Block barriers: how often a barrier opened here.
};

/// The difference in executions between the instruction at one program counter and the one before it, modulo 2^64.
struct edge {
  std::uint64_t executed = 0;
  std::uint64_t lanes = 0;
};

/// The cost of the memory accesses at one program counter, by the state space that was accessed. The instruction
/// determines whether they are loads, stores or atomics.
struct access_activity {
  std::uint64_t global_requests = 0;
  std::uint64_t global_sectors = 0;
  std::uint64_t global_ideal_sectors = 0;
  std::uint64_t shared_accesses = 0;
  std::uint64_t shared_conflicts = 0;
  std::uint64_t local_accesses = 0;
  std::uint64_t local_sectors = 0;
  std::uint64_t constant_accesses = 0;
  unsigned worst_conflicts = 0;  ///< Conflicts of a single access, the one in `access_examples::conflict`.
  unsigned worst_excess = 0;  ///< Sectors above the ideal of a single request, the one in `access_examples::request`.
};

/// The threads that executed an access to shared memory at one program counter; used to describe races.
struct access_visits {
  std::uint32_t warps = 0;         ///< A bit for each warp of a block.
  bool repeated = false;           ///< A lane executed it twice with no barrier at all in between, …
  bool repeated_in_block = false;  ///< … or with no block barrier in between.
};

/// The costliest accesses at one program counter.
struct access_examples {
  conflict_example conflict;
  request_example request;
};

/// All counts of a launch.
struct activity {
  activity(std::size_t instruction_count, std::size_t access_count)
      : instructions(instruction_count), accesses(access_count), examples(access_count) {}

  std::vector<instruction_activity> instructions;  ///< Indexed by program counter.
  std::vector<access_activity> accesses;           ///< Indexed by `launch_observation::access_slots()`.
  std::vector<access_examples> examples;           ///< Indexed by the same slots.
  std::uint64_t blocks = 0;
  std::uint64_t warps = 0;
  std::uint64_t busiest_block = 0;  ///< Warp instructions of the block that executed the most.

  /// Adds `other`, which belongs to the same launch.
  void add(const activity& other);
  /// Sets all counts to 0.
  void clear() { *this = activity(instructions.size(), accesses.size()); }
};

}  // namespace emulator::observers
