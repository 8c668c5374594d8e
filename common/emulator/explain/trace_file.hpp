#pragma once
/// \file
/// A launch as a line of a recording: events, findings and variables. docs/pages/recording.md describes each field.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/explain/finding_text.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"
#include "emulator/observers/trace.hpp"

namespace emulator::explain {

/// The contents of a launch's line other than its events.
struct traced_launch {
  const launch_report& report;        ///< Including its findings.
  std::vector<incident> incidents;    ///< The findings of the checks, which are looked up among the events.
  const fault* stopped_by = nullptr;  ///< Null: none.
  std::uint64_t left_out = 0;         ///< Steps of a block beyond `traced_steps`, which were omitted.
};

/// Adds the launch as one line to the file. If the file is full, the line has only the number of its events. The events
/// are from a few blocks, in order within each block. \throws std::runtime_error  if the file can't be written
void append_trace(const std::string& path, const naming& names, const traced_launch& launch,
                  std::vector<trace_event> events);

}  // namespace emulator::explain
