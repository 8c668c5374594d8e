#pragma once
/// \file
/// The findings of the emulator's checks, for programs that print no report.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "emulator/emulator.hpp"

namespace chapter16 {

/// Returns a line for each finding in kernels and calls since the last call, and clears them. Empty on a GPU.
[[nodiscard]] inline std::vector<std::string> take_findings() {
  if (emulator::selected_device() == emulator::device_kind::gpu) return {};
  std::vector<emulator::finding> all = emulator::take_call_findings();
  for (const emulator::launch_report& report : emulator::take_reports())
    all.insert(all.end(), report.findings.begin(), report.findings.end());
  std::vector<std::string> lines;
  for (const emulator::finding& one : all) lines.push_back(fmt::format("{}: {}", name_of(one.kind), one.message));
  return lines;
}

}  // namespace chapter16
