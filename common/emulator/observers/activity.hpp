#pragma once
/// \file
/// What is counted, by program counter.

#include <cstdint>
#include <vector>

#include "emulator/emulator.hpp"

namespace emulator::observers {

/// What happened at one program counter.
struct instruction_activity {
  std::uint64_t executed = 0;  ///< Warp instructions.
  std::uint64_t lanes = 0;     ///< Active lanes, summed.
  std::uint64_t idle = 0;      ///< Warp instructions without an active lane.
  std::uint64_t special = 0;   ///< Branches: those that diverged. Block barriers: how often one opened here.
};

/// What the memory accesses at one program counter cost, by the state space that they fell into. Whether they were
/// loads, stores or atomics is the instruction's.
struct access_activity {
  std::uint64_t global_requests = 0;
  std::uint64_t global_sectors = 0;
  std::uint64_t global_ideal_sectors = 0;
  std::uint64_t shared_accesses = 0;
  std::uint64_t shared_conflicts = 0;
  std::uint64_t local_accesses = 0;
  std::uint64_t local_sectors = 0;
  std::uint64_t constant_accesses = 0;
  std::uint32_t warps = 0;         ///< Shared memory, under racecheck: a bit for each warp of the block that was here.
  bool repeated = false;           ///< Likewise: a lane was here twice without any barrier in between, …
  bool repeated_in_block = false;  ///< … without one of the block.
  unsigned worst_conflicts = 0;    ///< Of one access; `access_examples::conflict` is that access.
  unsigned worst_excess = 0;  ///< Sectors of one request above the ideal; `access_examples::request` is that request.
};

/// The costliest accesses at one program counter.
struct access_examples {
  conflict_example conflict;
  request_example request;
};

/// What one `block_observer` has counted.
struct activity {
  std::vector<instruction_activity> instructions;  ///< By program counter.
  std::vector<access_activity> accesses;           ///< By `launch_observation::access_slots()`.
  std::vector<access_examples> examples;           ///< Likewise.
  std::uint64_t blocks = 0;
  std::uint64_t warps = 0;
  std::uint64_t busiest_block = 0;  ///< Warp instructions of the block that executed the most.

  /// Adds `other`, which is of the same launch.
  void add(const activity& other);
};

}  // namespace emulator::observers
