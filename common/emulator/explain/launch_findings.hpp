#pragma once
/// \file
/// The observation of a launch, as a report and as a line of a recording.

#include "emulator/emulator.hpp"
#include "emulator/explain/finding_text.hpp"
#include "emulator/observers/launch_observation.hpp"

namespace emulator::explain {

/// Stores counters, lines and findings in `report` and leaves its other fields alone. Findings of races are put before
/// those that `report` already has, the others after them. Must be called only once.
void fill(launch_report& report, launch_observation& seen, const naming& names);

/// Adds the launch to the file `options::trace_path`, if there is one. Must be called after `fill`.
/// \param stopped_by  the fault that ended the kernel, or null
void write_trace(const launch_report& report, launch_observation& seen, const naming& names, const fault* stopped_by);

}  // namespace emulator::explain
