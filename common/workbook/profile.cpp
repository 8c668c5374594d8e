#include "workbook/profile.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/report/diagnosis.hpp"
#include "emulator/report/profile.hpp"
#include "workbook/predicted.hpp"
#include "workbook/words.hpp"

namespace workbook {
std::vector<specimen> chosen_of(const std::vector<specimen>& kernels, const std::string& wanted) {
  if (wanted.empty()) {
    // Even if the exercise is untouched, because the solution is shown only on request.
    const auto yours = std::ranges::find(kernels, role::yours, &specimen::as);
    return {yours != kernels.end() ? *yours : kernels.at(0)};
  }
  std::vector<specimen> chosen;
  std::string known;
  for (const specimen& k : kernels) {
    // The reference and an exercise that begins with it may have the same name, so the role distinguishes them.
    if (k.name == wanted || role_name(k.as) == wanted) chosen.push_back(k);
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", k.name, role_name(k.as));
  }
  if (chosen.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: this chapter has no such kernel. Give a name or a role of these: {}.", wanted, known));
  }
  return chosen;
}

std::string advice_for(const std::string& kind, int here) {
  // The chapters that remove each cost, in ascending order.
  struct remedy {
    const char* kind;
    std::vector<int> chapters;
    const char* does = "removes";
  };
  namespace kinds = emulator::report::kinds;
  static const std::vector<remedy> remedies = {
      {kinds::unfilled_warps, {1}}, {kinds::atomic_contention, {1}},
      {kinds::divergence, {2}},     {kinds::integer_division, {2}},
      {kinds::bank_conflict, {3}},  {kinds::barriers, {5}},
      {kinds::loop_control, {6}},   {kinds::little_work, {4, 7}, "lessens"},
  };
  const auto found = std::ranges::find(remedies, kind, &remedy::kind);
  if (found == remedies.end()) return {};
  const std::vector<int>& chapters = found->chapters;
  const auto next = std::ranges::lower_bound(chapters, here);
  if (next == chapters.end()) return fmt::format("Chapter {} has shown what {} this.", chapters.back(), found->does);
  if (*next == here) return fmt::format("This chapter {} it.", found->does);
  return fmt::format("Chapter {} {} this.", *next, found->does);
}

int taught_in(const outcome& o, int chapter) {
  return o.as == role::previous ? chapter - 1 : chapter;
}

std::string profile_text(const chapter& c, const run_result& r, int file_descriptor) {
  emulator::report::profile_style style = emulator::report::style_for(file_descriptor);
  std::string text;
  for (const outcome& o : r.rows) {
    if (!text.empty()) text += "\n";
    text += fmt::format("{} ({})\n{}\n", o.name, role_name(o.as), input_text(c.table, r));
    if (o.rejected || o.launches.empty()) continue;
    style.advice = [&](const emulator::report::diagnosis& d) {
      // There is no advice for the library, because students don't edit it.
      return o.as == role::library ? std::string() : advice_for(d.kind, taught_in(o, c.number));
    };
    text += emulator::report::profile_text(o.launches, style);
    if (c.table.predicts) text += '\n' + predicted_parts(r.predicted_for, o);
  }
  return text + notes(c, r);
}

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
  const auto most = std::ranges::max_element(all.own, {}, [](const auto& own) { return own.second.instructions; });
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
