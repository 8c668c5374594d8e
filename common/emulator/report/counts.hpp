#pragma once
/// \file
/// Counters of a report, looked up by what they are instead of by name.

#include <initializer_list>
#include <string>

#include "emulator/emulator.hpp"
#include "emulator/observers/counters.hpp"

namespace emulator::report {

/// Returns the sum of some counters; those that are not in the map are 0.
[[nodiscard]] inline double sum_of(const counter_map& counters, std::initializer_list<observers::counter> wanted) {
  double sum = 0;
  for (const observers::counter which : wanted) {
    const auto found = counters.find(std::string(observers::facts_of(which).name));
    if (found != counters.end()) sum += static_cast<double>(found->second);
  }
  return sum;
}

/// Returns one counter, 0 where it is not in the map.
[[nodiscard]] inline double count_of(const counter_map& counters, observers::counter which) {
  return sum_of(counters, {which});
}

}  // namespace emulator::report
