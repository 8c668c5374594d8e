#pragma once
/// \file
/// The observation of one launch: facts that all observers need, and the sums of their results over all host threads.
/// explain/launch_findings.hpp turns it into a report.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/observers/activity.hpp"
#include "emulator/observers/block_order.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"
#include "emulator/observers/trace.hpp"

namespace emulator::memory {
class global_memory;
}

namespace emulator::observers {

/// The observation of one launch. The `block_observer`s of several host threads share it. They hand over their results
/// when they end (or on `flush`), and `finish` is called after that.
class launch_observation {
 public:
  /// \param facts    must outlive this object
  /// \param watched  the counters and checks that are on
  /// \param memory   global memory; must outlive this object
  launch_observation(const kernel_facts& facts, const options& watched, memory::global_memory& memory);
  ~launch_observation();
  launch_observation(const launch_observation&) = delete;
  launch_observation& operator=(const launch_observation&) = delete;

  /// Ends the observation, for example by comparing the accesses of the blocks to global memory. Has to be called once,
  /// before any of the next six functions.
  void finish();
  /// Writes counters and lines into `report` if they are on.
  void fill(launch_report& report) const;
  /// Returns what the checks have found.
  [[nodiscard]] const incident_table& found() const { return found_; }
  /// Returns the counts by program counter.
  [[nodiscard]] const activity& counted() const;
  /// Returns which threads made each access to shared memory, by `access_slots()`. Empty if racecheck is off.
  [[nodiscard]] std::span<const access_visits> visits() const;
  /// Returns the events for `options::trace_path`, and removes them.
  [[nodiscard]] std::vector<trace_event> take_trace();
  /// Returns the number of events that were left out of the trace.
  [[nodiscard]] std::uint64_t left_out_of_trace() const;

  [[nodiscard]] const kernel_facts& facts() const { return facts_; }
  [[nodiscard]] memory::global_memory& memory() { return memory_; }
  [[nodiscard]] const options& watched() const { return watched_; }
  /// Returns for each program counter the index of the data that is only stored for accesses; `no_access` for other
  /// instructions.
  [[nodiscard]] std::span<const std::uint32_t> access_slots() const { return access_slots_; }
  static constexpr std::uint32_t no_access = 0xffffffffu;
  [[nodiscard]] std::size_t access_count() const { return access_count_; }
  /// Returns for each program counter the number of its source line. Numbers increase with file and line.
  [[nodiscard]] const std::vector<std::uint32_t>& line_numbers() const { return line_of_; }
  /// Returns for each of these numbers the program counter of one instruction of the line.
  [[nodiscard]] const std::vector<std::uint32_t>& pc_of_line() const { return pc_of_line_; }
  /// Returns true if the kernel has fences, or accesses that acquire or release.
  [[nodiscard]] bool has_fences() const { return has_fences_; }
  /// Returns the order between blocks if racecheck is on and the blocks can communicate (by fences, strong loads, or
  /// atomics that return something); else null. Only one host thread may use it, which `blocks_meet` ensures.
  [[nodiscard]] block_order* order() { return order_ ? &*order_ : nullptr; }
  /// Returns true if blocks of the kernel can communicate while they run. The work of such a block may depend on when
  /// it runs, so the blocks must not be distributed over several host threads. Otherwise counts would differ from run
  /// to run.
  [[nodiscard]] bool blocks_meet() const { return blocks_meet_; }
  /// Sets the number of blocks in x, y and z; until then, all blocks are along x, and their number is unknown.
  void set_grid(const std::uint32_t (&grid)[3]);
  [[nodiscard]] const std::uint32_t (&grid() const)[3] { return grid_; }
  /// Returns the number of blocks, or 0 if it is unknown.
  [[nodiscard]] std::uint64_t block_count() const { return block_count_; }

  /// The results of each observer. Internal, defined in launch_parts.hpp.
  struct parts;
  /// Adds the findings of one host thread, and calls `take(parts)` to add the other results of its observers. Safe to
  /// call from several host threads.
  template <typename Take>
  void merge(const incident_table& found, Take take) {
    const std::scoped_lock lock(mutex_);
    found_.merge(found);
    take(*parts_);
  }

 private:
  void number_lines();

  const kernel_facts& facts_;
  options watched_;
  memory::global_memory& memory_;
  std::vector<std::uint32_t> access_slots_;
  std::uint32_t access_count_ = 0;
  bool has_fences_ = false;
  bool blocks_meet_ = false;
  std::optional<block_order> order_;
  std::uint32_t grid_[3] = {0xffffffffu, 1, 1};
  std::uint64_t block_count_ = 0;
  std::vector<std::uint32_t> line_of_;
  std::vector<std::uint32_t> pc_of_line_;
  std::mutex mutex_;
  incident_table found_;
  std::unique_ptr<parts> parts_;
};

}  // namespace emulator::observers
