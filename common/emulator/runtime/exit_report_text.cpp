#include "emulator/runtime/exit_report_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emulator/report/json.hpp"

namespace emulator::runtime {
std::string exit_report_text(const std::vector<launch_report>& launches, const std::vector<finding>& in_calls) {
  std::string text;
  for (const launch_report& launch : launches) {
    text += fmt::format("kernel {} grid {}x{}x{} block {}x{}x{}{}\n", launch.kernel, launch.grid[0], launch.grid[1],
                        launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
                        launch.completed ? "" : " (did not complete)");
    for (const finding& found : launch.findings) {
      text += fmt::format("  {}: {}\n    {}:{}: {}\n", found.check, found.kind, found.file, found.line, found.message);
      if (!found.cure.empty()) text += fmt::format("    {}\n", found.cure);
      if (!found.detail.empty()) text += fmt::format("    {}\n", found.detail);
    }
    for (const finding& note : launch.notes) {
      text += fmt::format("  note: {}, {} {}\n    {}:{}: {}\n", note.kind, note.count,
                          note.count == 1 ? "time" : "times", note.file, note.line, note.message);
    }
  }
  for (const finding& found : in_calls) {
    const std::string where = found.line != 0 ? fmt::format("{}:{}: ", found.file, found.line) : std::string();
    const std::string times = found.count > 1 ? fmt::format(" ({} times)", found.count) : std::string();
    text += fmt::format("{}: {}{}\n    {}{}\n", found.check, found.kind, times, where, found.message);
    if (!found.cure.empty()) text += fmt::format("    {}\n", found.cure);
    if (!found.detail.empty()) text += fmt::format("    {}\n", found.detail);
  }
  return text;
}

std::string exit_report_json(const std::vector<launch_report>& launches, const std::vector<finding>& in_calls) {
  using nlohmann::json;
  json all = {{"schema", 1}, {"launches", json::array()}, {"findings", json::array()}};
  for (const launch_report& launch : launches) {
    all["launches"].push_back(report::to_json(launch));
    for (const finding& found : launch.findings) all["findings"].push_back(report::to_json(found));
  }
  for (const finding& found : in_calls) all["findings"].push_back(report::to_json(found));
  return all.dump(1) + "\n";
}

}  // namespace emulator::runtime
