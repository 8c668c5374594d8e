#pragma once
/// \file
/// All that is seen of one launch: what its `block_observer`s bring together. explain/launch_findings.hpp makes a
/// report of it.

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/observers/activity.hpp"
#include "emulator/observers/block_order.hpp"
#include "emulator/observers/counters.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/global_access_log.hpp"
#include "emulator/observers/incident.hpp"
#include "emulator/observers/trace.hpp"

namespace emulator::observers {

/// The observation of one launch. `block_observer`s of several host threads share it; they hand over what they have
/// when they end (or on `flush`), and `finish` is called after that.
class launch_observation {
 public:
  /// \param facts    must live as long as this
  /// \param watched  says which of counters and checks are on
  launch_observation(const kernel_facts& facts, const options& watched);

  /// Compares what the blocks did in global memory. To be called once, before what was seen is asked for.
  void finish();
  /// Puts counters and lines into `report`, if they are watched.
  void fill_counters(launch_report& report) const;
  /// What the checks have found.
  [[nodiscard]] const incident_table& found() const { return found_; }
  /// What has been counted.
  [[nodiscard]] const activity& total() const { return total_; }
  /// Returns the events for `options::trace_path`, and forgets them.
  [[nodiscard]] std::vector<trace_event> take_trace() { return std::exchange(trace_, {}); }
  /// Returns how many events it left out.
  [[nodiscard]] std::uint64_t left_out_of_trace() const { return left_out_; }

  [[nodiscard]] const kernel_facts& facts() const { return facts_; }
  [[nodiscard]] const options& watched() const { return watched_; }
  /// By program counter: where its `access_activity` stands; `no_access` for instructions that access no memory.
  [[nodiscard]] std::span<const std::uint32_t> access_slots() const { return access_slots_; }
  static constexpr std::uint32_t no_access = 0xffffffffu;
  /// By program counter: a number for its source line; numbers rise with file and line.
  [[nodiscard]] const std::vector<std::uint32_t>& line_numbers() const { return line_of_; }
  /// Says whether the kernel has fences, or accesses that acquire or release.
  [[nodiscard]] bool has_fences() const { return has_fences_; }
  /// The order between blocks, for racecheck in a kernel whose blocks may learn of each other (fences, strong loads,
  /// atomics that return something); else null. It is for one host thread, as `blocks_meet` says.
  [[nodiscard]] block_order* order() { return order_ ? &*order_ : nullptr; }
  /// Says whether blocks of the kernel may learn of each other while they run. What such a block does can depend on
  /// when it runs: it must not be dealt out to several host threads, or counts are another in every run.
  [[nodiscard]] bool blocks_meet() const { return blocks_meet_; }
  /// Says how many blocks there are in x, y and z; without it, they are taken to lie along x.
  void set_grid(const std::uint32_t (&grid)[3]);
  /// How much of each block's accesses to global memory is kept.
  [[nodiscard]] const log_limits& limits() const { return limits_; }
  /// Returns an `activity` of zeroes of the right size.
  [[nodiscard]] activity empty_activity() const;

  /// Takes over what a `block_observer` has seen. Safe to call from several host threads.
  void merge(const activity& counted, const incident_table& found);
  /// Takes over paths of blocks that were followed. Safe to call from several host threads.
  void merge(const path_report& path);
  /// Says whether a block is one of those whose path is followed.
  [[nodiscard]] bool follows(std::uint64_t block) const {
    // One of every stretch, each time at another place: what grids repeat, such as rows of an image, must not meet it.
    const std::uint64_t place = (block / every_ * 0x9e3779b97f4a7c15u >> 32) % every_;
    return block % every_ == place || block + 1 == blocks_;
  }
  /// Says whether it is an example of the others: the last block may be the one that puts the results together.
  [[nodiscard]] bool counts_path_of(std::uint64_t block) const { return block + 1 != blocks_ || blocks_ == 1; }
  /// Takes over accesses of blocks that look like `block`. Safe to call from several host threads.
  void merge(global_accesses accesses, const block_identity& block);
  /// Takes over events for `options::trace_path`. Safe to call from several host threads.
  void merge(const std::vector<trace_event>& events, std::uint64_t left_out);

 private:
  void number_lines();
  void exemplify(std::span<const std::uint32_t> pcs, line_report& line) const;
  void count_at(std::uint32_t pc, counter_values& into) const;

  const kernel_facts& facts_;
  options watched_;
  std::vector<std::uint32_t> access_slots_;
  std::uint32_t access_count_ = 0;
  bool has_fences_ = false;
  bool blocks_meet_ = false;
  std::optional<block_order> order_;
  log_limits limits_;
  std::uint32_t grid_[3] = {0xffffffffu, 1, 1};
  std::vector<std::uint32_t> line_of_;
  std::vector<std::uint32_t> pc_of_line_;  ///< By line number: one instruction that stands there.
  std::mutex mutex_;
  activity total_;
  incident_table found_;
  global_accesses global_accesses_;
  std::vector<trace_event> trace_;
  std::uint64_t left_out_ = 0;  ///< Of the trace.
  path_report path_;
  std::uint64_t every_ = 1;   ///< Of so many blocks one is followed …
  std::uint64_t blocks_ = 1;  ///< … and the last of these.
  block_identity some_block_;
};

}  // namespace emulator::observers
