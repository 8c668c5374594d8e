#include "emulator/observers/incident.hpp"

#include <algorithm>
#include <utility>

namespace emulator::observers {

std::uint64_t incident_table::key_of(const incident& one) const {
  const std::uint64_t line = (*line_of_)[one.pc];
  const std::uint64_t other = (*line_of_)[one.other_pc];
  // Races in global memory within a block and between blocks need different fixes, so they aren't merged.
  return line << 36 | static_cast<std::uint64_t>(between_blocks(one)) << 35 |
         static_cast<std::uint64_t>(one.kind) << 28 | other;
}

void incident_table::add(const folded_incident& more) {
  folded_incident& folded = folded_[key_of(more.first)];
  if (folded.count == 0 || more.first.block.linear < folded.first.block.linear) folded.first = more.first;
  folded.count += more.count;
  folded.across_warps |= more.across_warps;
}

void incident_table::merge(const incident_table& others) {
  for (const auto& [key, folded] : others.folded_) add(folded);
}

std::vector<folded_incident> incident_table::sorted() const {
  std::vector<std::pair<std::uint64_t, folded_incident>> rows(folded_.begin(), folded_.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<folded_incident> all;
  all.reserve(rows.size());
  for (const auto& [key, folded] : rows) all.push_back(folded);
  return all;
}

}  // namespace emulator::observers
