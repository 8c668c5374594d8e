#pragma once
/// \file
/// What is counted, by program counter.

#include <cstddef>
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

/// How much more often the instruction at one place is executed than the one before, modulo 2^64.
struct edge {
  std::uint64_t executed = 0;
  std::uint64_t lanes = 0;
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
  unsigned worst_conflicts = 0;  ///< Of one access; `access_examples::conflict` is that access.
  unsigned worst_excess = 0;  ///< Sectors of one request above the ideal; `access_examples::request` is that request.
};

/// Which threads made the accesses to shared memory at one program counter: for the text of races.
struct access_visits {
  std::uint32_t warps = 0;         ///< A bit for each warp of a block.
  bool repeated = false;           ///< A lane made it twice without any barrier in between, …
  bool repeated_in_block = false;  ///< … without a barrier of the block.
};

/// The costliest accesses at one program counter.
struct access_examples {
  conflict_example conflict;
  request_example request;
};

/// All that is counted.
struct activity {
  activity(std::size_t instruction_count, std::size_t access_count)
      : instructions(instruction_count), accesses(access_count), examples(access_count) {}

  std::vector<instruction_activity> instructions;  ///< By program counter.
  std::vector<access_activity> accesses;           ///< By `launch_observation::access_slots()`.
  std::vector<access_examples> examples;           ///< Likewise.
  std::uint64_t blocks = 0;
  std::uint64_t warps = 0;
  std::uint64_t busiest_block = 0;  ///< Warp instructions of the block that executed the most.

  /// Adds `other`, which is of the same launch.
  void add(const activity& other);
  /// Sets everything to 0.
  void clear() { *this = activity(instructions.size(), accesses.size()); }
};

}  // namespace emulator::observers
