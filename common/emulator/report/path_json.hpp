#pragma once
/// \file
/// The critical path of a launch as JSON, for writing and reading reports.

#include <nlohmann/json.hpp>

#include "emulator/emulator.hpp"

namespace emulator {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(path_report, blocks, cycles, waits, longest_cycles, longest_waits, last_cycles,
                                   last_waits, lines, sectors_near, sectors_again, executed, issued)

}  // namespace emulator
