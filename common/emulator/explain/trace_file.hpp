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

/// What a launch's line says beside its events.
struct traced_launch {
  const launch_report& report;        ///< With its findings.
  std::vector<incident> incidents;    ///< What the checks found, to be looked up among the events.
  const fault* stopped_by = nullptr;  ///< Null: nothing.
  std::uint64_t left_out = 0;         ///< Steps beyond `traced_steps` of a block.
};

/// Adds the launch as one line to the file; without its events, and their number said, where the file is full. The
/// events are of few blocks, each block's in its order. \throws std::runtime_error  where the file cannot be written
void append_trace(const std::string& path, const naming& names, const traced_launch& launch,
                  std::vector<trace_event> events);

}  // namespace emulator::explain
