#include "timing/model/reports.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/report/path_json.hpp"
#include "timing/model/words.hpp"

namespace model {
namespace {

/// The launches of one kernel.
struct launched {
  std::string kernel;
  std::vector<counts> launches;
  bool sound = true;  ///< True if all ran to completion without findings.
};

/// Returns the part of a launch report that has counts.
emulator::launch_report launch_of(const nlohmann::json& j) {
  emulator::launch_report launch;
  for (std::size_t d = 0; d < 3; ++d) {
    j.at("grid").at(d).get_to(launch.grid[d]);
    j.at("block").at(d).get_to(launch.block[d]);
  }
  j.at("cooperative").get_to(launch.cooperative);
  j.at("counters").get_to(launch.counters);
  j.at("path").get_to(launch.path);
  if (const nlohmann::json& occupancy = j.at("occupancy"); !occupancy.is_null()) {
    launch.occupancy.known = true;
    occupancy.at("blocks_per_multiprocessor").get_to(launch.occupancy.blocks);
  }
  return launch;
}

/// Returns the launches by kernel, in the order of the kernels' first launches.
std::vector<launched> by_kernel(const nlohmann::json& report) {
  std::vector<launched> all;
  for (const nlohmann::json& j : report.at("launches")) {
    const std::string kernel = j.at("kernel");
    auto at = std::find_if(all.begin(), all.end(), [&](const launched& l) { return l.kernel == kernel; });
    if (at == all.end()) at = all.insert(all.end(), {.kernel = kernel, .launches = {}});
    at->launches.push_back(counts_of(j));
    at->sound = at->sound && j.at("completed").get<bool>() && j.at("findings").empty();
  }
  return all;
}

/// Returns the time of all launches of a kernel together, or why it is unknown.
prediction predict_kernel(const machine& m, const launched& k) {
  if (k.sound) return predict(m, k.launches);
  prediction none;
  none.unknown = "the kernel is wrong or unsafe";
  return none;
}

}  // namespace

counts counts_of(const nlohmann::json& launch) {
  return counts_of(launch_of(launch));
}

std::string predicted_text(const gpu& on, const nlohmann::json& report) {
  const std::vector<launched> kernels = by_kernel(report);
  if (kernels.empty()) return {};
  if (!on.measured) return "\n" + on.why_no_times + "\n";
  std::string text;
  bool timed = false;
  for (const launched& k : kernels) {
    const prediction p = predict_kernel(*on.measured, k);
    timed = timed || p.unknown.empty();
    const std::string together = k.launches.size() == 1 ? "" : fmt::format(", {} launches together", k.launches.size());
    text += fmt::format("\n{}{}\n{}", k.kernel, together, parts_text(*on.measured, p));
    for (const std::string& limit : p.limits()) text += advice_of(p, limit) + '\n';
  }
  if (timed)
    text += fmt::format(
        "\nPredicted from the counts, each kernel as if nothing but its launches ran. Predictions for the workbook's "
        "reductions are off by {} % on average, those for other kernels by more (docs/pages/time.md).\n",
        mean_error_percent);
  return on.note.empty() ? text : text + on.note + '\n';
}

nlohmann::json predictions_of(const gpu& on, const nlohmann::json& report) {
  nlohmann::json all = nlohmann::json::array();
  for (const launched& k : by_kernel(report)) {
    nlohmann::json one = on.measured ? to_json(*on.measured, predict_kernel(*on.measured, k))
                                     : nlohmann::json{{"gpu", on.emulated}, {"unknown", on.why_no_times}};
    one["kernel"] = k.kernel;
    one["launches"] = k.launches.size();
    if (!on.note.empty()) one["note"] = on.note;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace model
