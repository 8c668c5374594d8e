#pragma once
/// \file
/// Counters of a report, looked up by what they are instead of by name.

#include <initializer_list>

#include "emulator/emulator.hpp"
#include "emulator/observers/counters.hpp"

namespace emulator::report {

/// Returns the sum of some counters; those that are not in the map are 0.
[[nodiscard]] inline double sum_of(const counter_map& counters, std::initializer_list<observers::counter> wanted) {
  double sum = 0;
  for (const observers::counter which : wanted)
    sum += static_cast<double>(count_in(counters, observers::facts_of(which).name));
  return sum;
}

/// Returns one counter, 0 where it is not in the map.
[[nodiscard]] inline double count_of(const counter_map& counters, observers::counter which) {
  return sum_of(counters, {which});
}

/// What the loads or the stores of a line cost the memory.
struct global_cost {
  bool stores = false;
  double requests = 0, sectors = 0, ideal = 0;
};

/// Returns the loads' or the stores' cost: whose sectors are the larger multiple of the ideal, the loads' where
/// neither.
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
