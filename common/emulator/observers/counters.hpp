#pragma once
/// \file
/// The counters that a launch reports: one table for the emulator, its reports and the documentation.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace emulator::observers {

/// A counter. The order is that of the table and of the reports.
enum class counter : std::uint8_t {
  blocks,
  warps,
  warp_instructions,
  thread_instructions,
  global_load_requests,
  global_load_sectors,
  global_load_ideal_sectors,
  global_store_requests,
  global_store_sectors,
  global_store_ideal_sectors,
  global_atomic_requests,
  global_atomic_sectors,
  global_reduction_requests,
  global_reduction_sectors,
  global_atomic_operations,
  global_atomic_distinct_sectors,
  shared_loads,
  shared_stores,
  shared_bank_conflicts,
  shared_load_bank_conflicts,
  shared_store_bank_conflicts,
  shared_atomics,
  shared_atomic_bank_conflicts,
  local_loads,
  local_stores,
  local_load_sectors,
  local_store_sectors,
  local_atomics,
  constant_loads,
  barriers,
  block_barriers,
  warp_barriers,
  fences,
  shuffles,
  warp_reductions,
  votes,
  branches,
  divergent_branches,
  loop_branches,
  combines,
  integer_divides,
  count,  ///< The number of counters.
};

inline constexpr std::size_t counter_count = static_cast<std::size_t>(counter::count);

/// Values of all counters.
using counter_values = std::array<std::uint64_t, counter_count>;

/// The names and the meaning of a counter.
struct counter_facts {
  counter which;
  std::string_view name;  ///< That of Nsight Compute's metric if there is one; else ours, with the prefix `workbook__`.
  std::string_view short_name;  ///< The name for people.
  std::string_view unit;        ///< The unit of the count: "request", "sector" …
  std::string_view what;        ///< The meaning, in one sentence.
  std::string_view formula;     ///< The formula for it.
};

/// Returns the table, by `counter`.
[[nodiscard]] std::span<const counter_facts> counter_table();

/// Returns the row of `which`.
[[nodiscard]] const counter_facts& facts_of(counter which);

}  // namespace emulator::observers
