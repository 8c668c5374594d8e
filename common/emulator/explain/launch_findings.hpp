#pragma once
/// \file
/// What was seen of a launch, as a report and as a line of a recording.

#include "emulator/emulator.hpp"
#include "emulator/explain/finding_text.hpp"
#include "emulator/observers/launch_observation.hpp"

namespace emulator::explain {

/// Puts counters, lines and findings into `report`, whose other fields it leaves alone. The findings of races come
/// before those that `report` already has, the others after them. To be called once.
void fill(launch_report& report, launch_observation& seen, const naming& names);

/// Adds the launch to the file of `options::trace_path`, if there is one. To be called after `fill`.
/// \param stopped_by  the fault that ended the kernel, or null
void write_trace(const launch_report& report, launch_observation& seen, const naming& names, const fault* stopped_by);

}  // namespace emulator::explain
