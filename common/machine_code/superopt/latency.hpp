#pragma once
/// \file
/// A simple model of a program's time. Instructions issue in order, up to `issue_width` per cycle, as soon as their
/// sources are ready. The result of an instruction is ready after its latency. There are no bank conflicts, and the
/// only limit on throughput is the table's `interval`.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "machine_code/superopt/liveness.hpp"

namespace superopt {

/// The latencies of one architecture, in cycles. A latency is 0 if the architecture does not have the instruction or if
/// it has not been measured.
struct cost_table {
  std::string name;
  std::string provenance;    ///< The source of the figures.
  unsigned issue_width = 1;  ///< Instructions per cycle.
  std::array<unsigned, family_count> latency{};
  std::array<unsigned, family_count> interval{};  ///< Least number of cycles between two instructions of a family.
  std::array<std::string, family_count> source{};

  [[nodiscard]] unsigned latency_of(opcode op) const { return latency[static_cast<std::size_t>(facts_of(op).unit)]; }
};

/// Parses a table; common/machine_code/superopt/README.md describes the format. `name` identifies it in error messages.
/// \throws bad_input
[[nodiscard]] cost_table parse_cost_table(const nlohmann::json& j, const std::string& name);

/// Reads a table from a file or, if there is no such file, the project's own table with this name. \throws bad_input
[[nodiscard]] cost_table load_cost_table(const std::string& name_or_file);
[[nodiscard]] std::vector<std::string> known_cost_tables();

/// Throws if the table has no latency for an opcode of `p`; the message names the opcode. \throws bad_input
void demand_known(const program& p, const cost_table& table);

/// The cycles at which each instruction issues and its result is ready. Cycle 0 is the first issue.
struct schedule {
  std::array<unsigned, max_instructions> issue{};
  std::array<unsigned, max_instructions> ready{};
  unsigned cycles = 0;  ///< The cycle in which the last output is ready.
};

[[nodiscard]] schedule schedule_of(const program& p, const target& t, const cost_table& table);

/// Returns only the cycles that the program takes.
[[nodiscard]] unsigned cycles_of(const program& p, const target& t, const cost_table& table);

/// The model itself. Instructions are added one by one, in order.
class pipeline {
 public:
  explicit pipeline(const cost_table& table) : table_(&table) {}
  /// Issues `i` as soon as its sources, its unit, and an earlier write to its destination that is still in flight allow
  /// it. Returns the cycle in which it issues.
  unsigned issue(const instruction& i) {
    const auto unit = static_cast<std::size_t>(facts_of(i.op).unit);
    unsigned at = issued_in_cycle_ == table_->issue_width ? cycle_ + 1 : cycle_;
    at = std::max({at, unit_free_[unit], ready_[i.destination]});
    for (unsigned s = 0; s < i.source_count(); ++s) at = std::max(at, ready_[i.sources[s]]);
    issued_in_cycle_ = at == cycle_ ? issued_in_cycle_ + 1 : 1;
    cycle_ = at;
    unit_free_[unit] = at + table_->interval[unit];
    ready_[i.destination] = at + table_->latency[unit];
    return at;
  }
  [[nodiscard]] unsigned ready(std::uint8_t reg) const { return ready_[reg]; }

 private:
  const cost_table* table_;
  std::array<unsigned, register_count + 1> ready_{};
  std::array<unsigned, family_count> unit_free_{};
  unsigned cycle_ = 0;
  unsigned issued_in_cycle_ = 0;
};

}  // namespace superopt
