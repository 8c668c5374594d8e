#include "emulator/runtime/exit_report_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace emulator::runtime {
namespace {

using nlohmann::json;

json json_of(const finding& found) {
  json result = {{"check", found.check}, {"kind", found.kind},   {"kernel", found.kernel},  {"file", found.file},
                 {"line", found.line},   {"count", found.count}, {"message", found.message}};
  if (!found.other_file.empty()) {
    result["other_file"] = found.other_file;
    result["other_line"] = found.other_line;
  }
  return result;
}

json json_of(const launch_report& launch) {
  json lines = json::array();
  for (const line_report& line : launch.lines) {
    lines.push_back({{"file", line.file}, {"line", line.line}, {"counters", line.counters}});
  }
  return {{"kernel", launch.kernel},
          {"grid", launch.grid},
          {"block", launch.block},
          {"static_shared_bytes", launch.static_shared_bytes},
          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"registers_per_thread", launch.registers_per_thread},
          {"completed", launch.completed},
          {"counters", launch.counters},
          {"lines", std::move(lines)}};
}

}  // namespace

std::string exit_report_text(const std::vector<launch_report>& launches) {
  std::string text;
  for (const launch_report& launch : launches) {
    text += fmt::format("kernel {} grid {}x{}x{} block {}x{}x{}{}\n", launch.kernel, launch.grid[0], launch.grid[1],
                        launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
                        launch.completed ? "" : " (did not complete)");
    for (const finding& found : launch.findings) {
      text += fmt::format("  {}: {}\n    {}:{}: {}\n", found.check, found.kind, found.file, found.line, found.message);
    }
  }
  return text;
}

std::string exit_report_json(const std::vector<launch_report>& launches) {
  json all = {{"schema", 1}, {"launches", json::array()}, {"findings", json::array()}};
  for (const launch_report& launch : launches) {
    all["launches"].push_back(json_of(launch));
    for (const finding& found : launch.findings) all["findings"].push_back(json_of(found));
  }
  return all.dump(1) + "\n";
}

}  // namespace emulator::runtime
