#include "workbook/line_costs.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace workbook {

costs costs_of(const chapter& c, const outcome& yours) {
  const auto of = [](const emulator::line_report& line, const char* counter) {
    return emulator::count_in(line.counters, counter);
  };
  costs all;
  for (const emulator::launch_report& launch : yours.launches) {
    for (const emulator::line_report& line : launch.lines) {
      all.instructions += of(line, "workbook__inst_executed.sum");
      if (!line.file.ends_with(c.exercise)) continue;
      cost_of_line& own = all.own[line.line];
      own.instructions += of(line, "workbook__inst_executed.sum");
      own.conflicts += of(line, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum");
      own.sectors += of(line, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
                     of(line, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
    }
  }
  return all;
}

std::string costliest_line(const chapter& c, const costs& all) {
  const auto most = std::max_element(all.own.begin(), all.own.end(), [](const auto& a, const auto& b) {
    return a.second.instructions < b.second.instructions;
  });
  if (most == all.own.end() || all.instructions == 0) return {};
  return fmt::format(
      "Of your file, line {} costs most: {:.0f} % of the instructions.\n`make profile{}` shows all lines.\n",
      most->first, 100.0 * static_cast<double>(most->second.instructions) / static_cast<double>(all.instructions),
      c.number);
}

nlohmann::json profile_json(const costs& all) {
  nlohmann::json lines = nlohmann::json::array();
  for (const auto& [line, cost] : all.own)
    lines.push_back({{"line", line},
                     {"instructions", cost.instructions},
                     {"conflicts", cost.conflicts},
                     {"sectors", cost.sectors}});
  return {{"instructions", all.instructions}, {"lines", lines}};
}

}  // namespace workbook
