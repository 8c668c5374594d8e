#pragma once
/// \file
/// Faults that the checks found, before they are described in text: a fault of one thread, and the table that merges
/// repeated ones.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/finding.hpp"
#include "emulator/observers/event.hpp"

namespace emulator::observers {

/// The order is that of `incident_kinds`.
enum class incident_kind : std::uint8_t {
  read_after_write,
  write_after_read,
  write_after_write,
  write_in_same_instruction,  ///< Two lanes of one store write different values to the same bytes.
  uninitialized_shared_read,
  uninitialized_global_read,
  divergent_barrier,
  lanes_gone,              ///< A member mask names lanes that have left the kernel without reaching the operation.
  different_barriers,      ///< Warps of a block wait at __syncthreads() in different lines, and resume together.
  global_read_and_write,   ///< Two threads access one word of global memory; `pc` is the read.
  global_write_and_write,  ///< Likewise; `pc` is the write by the block with the higher number.
  block_not_begun,         ///< Access to shared memory of a block of the cluster that may not have begun yet.
  block_leaves,            ///< Access to shared memory of a block that may already have left the kernel.
  shuffle_from_nowhere,    ///< Not a fault if the value isn't used, so it is reported as a note.
};

/// The treatment of an incident in the report.
enum class incident_group : std::uint8_t {
  shared_race,  ///< Two accesses to shared memory that nothing orders.
  global_race,  ///< Two such accesses to global memory.
  fault,
  note,  ///< Listed with the notes of the launch, not with its findings.
};

struct incident_kind_facts {
  incident_kind kind;
  finding_kind reported_as;
  incident_group group;
};

inline constexpr incident_kind_facts incident_kinds[] = {
    {incident_kind::read_after_write, finding_kind::read_after_write_race, incident_group::shared_race},
    {incident_kind::write_after_read, finding_kind::write_after_read_race, incident_group::shared_race},
    {incident_kind::write_after_write, finding_kind::write_after_write_race, incident_group::shared_race},
    {incident_kind::write_in_same_instruction, finding_kind::write_after_write_race, incident_group::shared_race},
    {incident_kind::uninitialized_shared_read, finding_kind::uninitialized_shared, incident_group::fault},
    {incident_kind::uninitialized_global_read, finding_kind::uninitialized_global, incident_group::fault},
    {incident_kind::divergent_barrier, finding_kind::divergent_barrier, incident_group::fault},
    {incident_kind::lanes_gone, finding_kind::bad_member_mask, incident_group::fault},
    {incident_kind::different_barriers, finding_kind::different_barriers, incident_group::fault},
    {incident_kind::global_read_and_write, finding_kind::global_read_write_race, incident_group::global_race},
    {incident_kind::global_write_and_write, finding_kind::global_write_write_race, incident_group::global_race},
    {incident_kind::block_not_begun, finding_kind::block_not_begun, incident_group::fault},
    {incident_kind::block_leaves, finding_kind::block_leaves, incident_group::fault},
    {incident_kind::shuffle_from_nowhere, finding_kind::shuffle_from_nowhere, incident_group::note},
};

[[nodiscard]] constexpr bool incident_kinds_are_in_order() {
  std::size_t row = 0;
  for (const incident_kind_facts& one : incident_kinds)
    if (static_cast<std::size_t>(one.kind) != row++) return false;
  return row == static_cast<std::size_t>(incident_kind::shuffle_from_nowhere) + 1;
}
static_assert(incident_kinds_are_in_order());

[[nodiscard]] constexpr const incident_kind_facts& facts_of(incident_kind kind) {
  return incident_kinds[static_cast<std::size_t>(kind)];
}

/// Returns true if it is a race in global memory.
[[nodiscard]] constexpr bool is_global(incident_kind kind) {
  return facts_of(kind).group == incident_group::global_race;
}

/// Returns true if it is a race, that is, two accesses that nothing orders.
[[nodiscard]] constexpr bool is_race(incident_kind kind) {
  return facts_of(kind).group == incident_group::shared_race || is_global(kind);
}

/// One fault. This is plain data, because only reported faults are described in text.
struct incident {
  incident_kind kind = incident_kind::read_after_write;
  std::uint32_t pc = 0;        ///< The access that revealed the fault; for a race, the later one.
  std::uint32_t other_pc = 0;  ///< The earlier access of a race; otherwise the same as `pc`.
  block_identity block;
  std::uint64_t other_block = 0;   ///< Linear. For a race in global memory: the block of the other access.
  std::uint32_t thread = 0;        ///< Index in the block, counted along x, y, z.
  std::uint32_t other_thread = 0;  ///< The thread of the earlier access of a race; otherwise the same as `thread`.
  std::uint64_t address = 0;       ///< Device address, or offset in the block's shared memory.
  std::uint32_t bytes = 0;         ///< Starting at `address`.
  std::uint32_t mask = 0;  ///< Shuffle: lanes that got no value. Divergent barrier and lanes_gone: lanes that arrived.
  std::uint32_t expected = 0;     ///< Divergent barrier: all live lanes. lanes_gone: the lanes that had exited.
  bool is_volatile = false;       ///< Race: one of the accesses was volatile and none an atomic.
  bool is_atomic = false;         ///< Race: one of the accesses was an atomic.
  bool is_in_flight = false;      ///< Race: the other access is a cp.async that its thread has not waited for.
  bool begins_unordered = false;  ///< For such a copy: even its start isn't ordered before the later access.
  /// An access to a cluster's shared memory by a block other than `owner`, or a race with one.
  bool is_distributed = false;
  std::uint64_t owner = 0;     ///< If it is distributed: linear number of the block whose shared memory it is.
  bool is_block_only = false;  ///< Race: both accesses are atomic or strong, but one of them only within its block.
};

/// Returns an incident of one thread at one place. For a race, the caller sets the other thread and its access.
[[nodiscard]] inline incident incident_at(incident_kind kind, std::uint32_t pc, const block_identity& block,
                                          std::uint32_t thread) {
  return {.kind = kind, .pc = pc, .other_pc = pc, .block = block, .thread = thread, .other_thread = thread};
}

/// Returns true if the incident involves two different blocks.
[[nodiscard]] inline bool between_blocks(const incident& one) {
  return (is_global(one.kind) && one.other_block != one.block.linear) || one.is_distributed;
}

/// A fault, and how often it occurred.
struct folded_incident {
  incident first;
  std::uint64_t count = 0;
  bool across_warps = false;  ///< Races: at least one was between threads of different warps.
};

/// Merges incidents of the same kind and source lines. For each group it stores the first incident of the
/// lowest-numbered block, so the result does not depend on which host thread ran which block.
class incident_table {
 public:
  /// \param line_of  by program counter: a number of its source line, below 2^28
  explicit incident_table(const std::vector<std::uint32_t>& line_of) : line_of_(&line_of) {}

  /// Adds an incident. The incidents of one block are added in the order in which they happen.
  void add(const incident& one) { add({one, 1, one.thread / warp_size != one.other_thread / warp_size}); }
  /// Adds all incidents of `others`. No block may have incidents in both tables.
  void merge(const incident_table& others);

  [[nodiscard]] bool empty() const { return folded_.empty(); }
  /// Returns the folded incidents, sorted by source line, kind and the other line.
  [[nodiscard]] std::vector<folded_incident> sorted() const;

 private:
  void add(const folded_incident& more);
  [[nodiscard]] std::uint64_t key_of(const incident& one) const;

  const std::vector<std::uint32_t>* line_of_;
  std::unordered_map<std::uint64_t, folded_incident> folded_;
};

}  // namespace emulator::observers
