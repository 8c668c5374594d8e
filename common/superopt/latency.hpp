#pragma once
/// \file
/// How long a program takes, by a simple model: instructions issue in order, `issue_width` a cycle, when their sources
/// are ready; the result is ready a latency later. No bank conflicts, and no throughput limit but the `interval` of a
/// table.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "superopt/liveness.hpp"

namespace superopt {

/// Latencies of one architecture, in cycles. 0: the architecture has no such instruction, or nobody has measured it.
struct cost_table {
  std::string name;
  std::string provenance;    ///< Where the figures come from.
  unsigned issue_width = 1;  ///< Instructions that issue in one cycle.
  std::array<unsigned, family_count> latency{};
  std::array<unsigned, family_count> interval{};  ///< Cycles from one instruction of the family to the next.
  std::array<std::string, family_count> source{};

  [[nodiscard]] unsigned latency_of(opcode op) const { return latency[static_cast<std::size_t>(facts_of(op).unit)]; }
};

/// Reads a table; the form is described in common/superopt/README.md. `name` is what errors call it.
/// \throws bad_input
[[nodiscard]] cost_table parse_cost_table(const nlohmann::json& j, const std::string& name);

/// Reads a file, or, where there is none of this name, the project's own table that is called so. \throws bad_input
[[nodiscard]] cost_table load_cost_table(const std::string& name_or_file);
[[nodiscard]] std::vector<std::string> known_cost_tables();

/// Says which opcode of `p` the table has no figure for. \throws bad_input
void demand_known(const program& p, const cost_table& table);

/// When each instruction issues, and when its result is ready. Cycle 0 is the first issue.
struct schedule {
  std::array<unsigned, most_instructions> issue{};
  std::array<unsigned, most_instructions> ready{};
  unsigned cycles = 0;  ///< When the last output is ready.
};

[[nodiscard]] schedule schedule_of(const program& p, const target& t, const cost_table& table);

/// The same without the details.
[[nodiscard]] unsigned cycles_of(const program& p, const target& t, const cost_table& table);

/// Adds instructions in order, one by one: the model itself.
class pipeline {
 public:
  explicit pipeline(const cost_table& table) : table_(&table) {}
  /// Issues `i` as soon as its sources, its unit and its destination (an earlier write on its way) allow. Returns when.
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
