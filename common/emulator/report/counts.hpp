#pragma once
/// \file
/// Access to a report's counters by enumerator instead of by name.

#include <initializer_list>

#include "emulator/emulator.hpp"
#include "emulator/observers/counters.hpp"

namespace emulator::report {

/// Returns the sum of the given counters. Counters that are not in the map are 0.
[[nodiscard]] inline double sum_of(const counter_map& counters, std::initializer_list<observers::counter> wanted) {
  double sum = 0;
  for (const observers::counter which : wanted)
    sum += static_cast<double>(count_in(counters, observers::facts_of(which).name));
  return sum;
}

/// Returns one counter, or 0 if it is not in the map.
[[nodiscard]] inline double count_of(const counter_map& counters, observers::counter which) {
  return sum_of(counters, {which});
}

/// The cost of a line's loads or stores in global memory.
struct global_cost {
  bool stores = false;
  double requests = 0, sectors = 0, ideal = 0;
};

/// Returns the cost of either the loads or the stores, whichever has the worse ratio of sectors to ideal sectors; the
/// loads on a tie.
[[nodiscard]] inline global_cost costlier_access(const counter_map& c) {
  using enum observers::counter;
  const global_cost loads = {false, count_of(c, global_load_requests), count_of(c, global_load_sectors),
                             count_of(c, global_load_ideal_sectors)};
  const global_cost stores = {true, count_of(c, global_store_requests), count_of(c, global_store_sectors),
                              count_of(c, global_store_ideal_sectors)};
  if (loads.requests == 0) return stores;
  return stores.sectors * loads.ideal > loads.sectors * stores.ideal ? stores : loads;
}

}  // namespace emulator::report
