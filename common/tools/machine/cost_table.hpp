#pragma once
/// \file
/// The superoptimiser's table of latencies, and the ends of a reduction that chapter 14 compares.

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "tools/machine/bench.hpp"

namespace workbook::machine {

/// Cycles of dependent instructions of one warp, by their names in cost tables; NaN on the emulator.
[[nodiscard]] std::map<std::string, double> measure_chains(bench& b);

/// Returns the cost table, without a name and provenance: the chains' cycles, and beside each sequence's measurement
/// what the model says with this very table. On the emulator it compares every sequence's result with the host's.
[[nodiscard]] nlohmann::json make_cost_table(bench& b, const std::map<std::string, double>& chains);

}  // namespace workbook::machine
