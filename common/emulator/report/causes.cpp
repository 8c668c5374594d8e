#include "emulator/report/causes.hpp"

namespace emulator::report {

std::vector<cause> causes_of(const std::vector<launch_report>& launches, const std::vector<finding>& in_calls) {
  std::vector<cause> causes;
  const auto cause_of = [&](const finding& f) -> cause& {
    for (cause& known : causes)
      if (same_cause(known.first, f)) return known;
    causes.push_back({f, 0, {}});
    causes.back().first.count = 0;
    return causes.back();
  };
  const auto add = [&](const finding& f, std::size_t launch) {
    cause& c = cause_of(f);
    c.first.count += f.count;
    if (launch != 0) ++c.launches;
    if (c.occurrences.size() < max_occurrences) c.occurrences.push_back({launch, f.message});
  };
  for (std::size_t k = 0; k < launches.size(); ++k)
    for (const finding& f : launches[k].findings) add(f, k + 1);
  for (const finding& f : in_calls) add(f, 0);
  return causes;
}

}  // namespace emulator::report
