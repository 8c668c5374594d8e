#pragma once
/// \file
/// All that is seen of one launch: what its `block_observer`s bring together, and the report made of it.

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/observers/activity.hpp"
#include "emulator/observers/counters.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"

namespace emulator::observers {

/// The observation of one launch. `block_observer`s of several host threads share it; they hand over what they have
/// when they end (or on `flush`), and `fill` is called after that.
class launch_observation {
 public:
  /// \param facts    must live as long as this
  /// \param watched  says which of counters and checks are on
  launch_observation(const kernel_facts& facts, const options& watched);

  /// Puts counters, lines and findings into `report`, whose other fields it leaves alone. The findings stand behind
  /// those that `report` already has.
  void fill(launch_report& report) const;

  [[nodiscard]] const kernel_facts& facts() const { return facts_; }
  [[nodiscard]] const options& watched() const { return watched_; }
  /// By program counter: where its `access_activity` stands; `no_access` for instructions that access no memory.
  [[nodiscard]] std::span<const std::uint32_t> access_slots() const { return access_slots_; }
  static constexpr std::uint32_t no_access = 0xffffffffu;
  /// By program counter: a number for its source line; numbers rise with file and line.
  [[nodiscard]] const std::vector<std::uint32_t>& line_numbers() const { return line_of_; }
  /// Says whether the kernel has fences, or accesses that acquire or release.
  [[nodiscard]] bool has_fences() const { return has_fences_; }
  /// Says whether the kernel has `bar.arrive`.
  [[nodiscard]] bool has_announcements() const { return has_announcements_; }
  /// Returns an `activity` of zeroes of the right size.
  [[nodiscard]] activity empty_activity() const;

  /// Takes over what a `block_observer` has seen. Safe to call from several host threads.
  void merge(const activity& counted, const incident_table& found);

 private:
  void number_lines();
  void exemplify(std::span<const std::uint32_t> pcs, line_report& line) const;
  void count_at(std::uint32_t pc, counter_values& into) const;

  const kernel_facts& facts_;
  options watched_;
  std::vector<std::uint32_t> access_slots_;
  std::uint32_t access_count_ = 0;
  bool has_fences_ = false;
  bool has_announcements_ = false;
  std::vector<std::uint32_t> line_of_;
  std::vector<std::uint32_t> pc_of_line_;  ///< By line number: one instruction that stands there.
  std::mutex mutex_;
  activity total_;
  incident_table found_;
};

/// Puts a fault that stopped a kernel into words. A `finding` of check "memcheck", "synccheck" or "limit"; "emulator"
/// for what the emulator does not implement.
[[nodiscard]] finding describe(const kernel_facts& facts, const fault& what);

}  // namespace emulator::observers
