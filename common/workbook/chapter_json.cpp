// The JSON of a chapter's program: `as_json`.

#include "workbook/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/report/json.hpp"
#include "timing/model/words.hpp"
#include "workbook/predicted.hpp"
#include "workbook/profile.hpp"
#include "workbook/words.hpp"

namespace workbook {
namespace {

/// Returns null for 0, which means "not measured".
nlohmann::json or_null(double x) {
  return x > 0 ? nlohmann::json(x) : nlohmann::json();
}

nlohmann::json compiled_json(const compiled_facts& compiled) {
  return {{"registers", compiled.registers},
          {"max_threads_per_block", compiled.max_threads_per_block},
          {"local_bytes", compiled.local_bytes},
          {"static_shared_bytes", compiled.static_shared_bytes},
          {"dynamic_shared_bytes", compiled.dynamic_shared_bytes},
          {"blocks_per_multiprocessor", compiled.blocks_per_multiprocessor},
          {"occupancy", compiled.occupancy},
          {"limiter", compiled.limiter}};
}

/// \param l2  the contents of L2 when a run begins
nlohmann::json time_json(const std::optional<timing>& t, const char* l2) {
  if (!t) return {};
  return {{"median", t->median_ms},        {"min", t->min_ms}, {"max", t->max_ms},
          {"repetitions", t->repetitions}, {"l2", l2},         {"queued", t->queued}};
}

nlohmann::json scaled_json(const model::machine& m, const scaled_time& one) {
  nlohmann::json j = one.predicted ? model::to_json(m, *one.predicted) : nlohmann::json{{"gpu", m.name}};
  j["count"] = one.count;
  j["measured_us"] = one.measured_us ? nlohmann::json(*one.measured_us) : nlohmann::json();
  return j;
}

nlohmann::json row_json(const outcome& o, const outcome* counted, const chapter& c, const device_facts& device,
                        const model::gpu& on, const scaled_time* scaled) {
  const outcome& with_counts = counted != nullptr ? *counted : o;
  nlohmann::json j = {{"name", o.name},           {"role", role_name(o.as)},
                      {"attempted", o.attempted}, {"verified", o.verified && with_counts.verified},
                      {"error", o.error},         {"bound", o.bound},
                      {"result", o.result_text},  {"passes", o.passes}};
  j["rejected"] = o.rejected ? nlohmann::json(*o.rejected) : nlohmann::json();
  j["failure"] = o.failure.empty() ? nlohmann::json() : nlohmann::json(o.failure);
  j["launches"] = nlohmann::json::array();
  for (const emulator::launch_report& l : with_counts.launches) {
    nlohmann::json launch = emulator::report::to_json(l);
    for (nlohmann::json& d : launch["diagnoses"]) {
      const std::string advice =
          o.as == role::library ? std::string() : advice_for(d.at("kind"), taught_in(o, c.number));
      if (!advice.empty()) d["advice"] = advice;
    }
    j["launches"].push_back(std::move(launch));
  }
  j["findings"] = nlohmann::json::array();
  for (const emulator::finding& f : with_counts.findings()) j["findings"].push_back(emulator::report::to_json(f));
  if (c.table.predicts && on.measured && !with_counts.launches.empty())
    j["predicted"] = model::to_json(*on.measured, prediction_of(*on.measured, with_counts));
  if (scaled != nullptr && (scaled->predicted || scaled->measured_us))
    j["predicted_scaled"] = scaled_json(*on.measured, *scaled);
  j["time_ms"] = time_json(o.cold, "cold");
  j["time_warm_ms"] = time_json(o.warm, "warm");
  j["time_idle_ms"] = time_json(o.idle, "warm");
  const double rate = o.cold ? o.bytes / o.cold->median_ms / 1e6 : 0;
  j["bandwidth_gb_per_s"] = or_null(rate);
  j["share_of_peak"] = device.peak_gb_per_s > 0 ? or_null(rate / device.peak_gb_per_s) : nlohmann::json();
  if (!o.group.empty()) j["group"] = o.group;
  if (with_counts.ports) {
    j["ports"] = {{"gpus", with_counts.ports->gpus},
                  {"busiest_bytes", with_counts.ports->busiest_bytes},
                  {"steps", with_counts.ports->steps},
                  {"idle_steps", with_counts.ports->idle_steps}};
  }
  if (with_counts.said.line_count > 0)
    j["printed"] = {{"line_count", with_counts.said.line_count}, {"lines", with_counts.said.lines}};
  if (with_counts.allocations && !c.table.one_sum) j["allocations"] = *with_counts.allocations;
  if (with_counts.compiled) j["compiled"] = o.compiled ? compiled_json(*o.compiled) : nlohmann::json();
  return j;
}

}  // namespace

nlohmann::json as_json(const chapter& c, const run_result& main, const run_result* counted) {
  const run_result& counts = counted != nullptr ? *counted : main;
  nlohmann::json j = {{"schema", 1}, {"chapter", c.number}, {"title", c.title}};
  if (!c.exercise_sha256.empty()) j["exercise_sha256"] = c.exercise_sha256;
  j["device"] = {{"kind", main.device.kind},
                 {"name", main.device.name},
                 {"compute_capability", fmt::format("{}.{}", main.device.major, main.device.minor)},
                 {"multiprocessors", main.device.multiprocessors},
                 {"l2_bytes", main.device.l2_bytes},
                 {"read_gb_per_s", or_null(main.device.most.read_gb_per_s)},
                 {"copy_gb_per_s", or_null(main.device.most.copy_gb_per_s)},
                 {"launch_us", or_null(main.device.most.launch_us)},
                 {"idle_launch_us", or_null(main.device.most.idle_launch_us)},
                 {"further_launch_us", or_null(main.device.most.further_launch_us)},
                 {"peak_gb_per_s", or_null(main.device.peak_gb_per_s)}};
  j["input"] = {{"type", name_of(main.given.type)},
                {"count", main.given.count},
                {"seed", main.given.seed},
                {"block_size", main.given.block_size}};
  if (main.given.block_shape[0] != 0) j["input"]["block_shape"] = main.given.block_shape;
  if (main.given.gpus != 0) j["input"]["gpus"] = main.given.gpus;
  if (counted != nullptr) j["counted_input"] = {{"count", counted->given.count}};
  j["kernels"] = nlohmann::json::array();
  for (std::size_t k = 0; k < main.rows.size(); ++k) {
    j["kernels"].push_back(
        row_json(main.rows[k], counted != nullptr && k < counted->rows.size() ? &counted->rows[k] : nullptr, c,
                 main.device, counts.predicted_for, k < counts.scaled.size() ? &counts.scaled[k] : nullptr));
  }
  j["goal"] = goal_json(c.aim, evaluate(c.aim, counts.rows));
  return j;
}

}  // namespace workbook
