#include "workbook/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "device/buffer.hpp"
#include "emulator/report/json.hpp"
#include "workbook/profile.hpp"
#include "workbook/study_report.hpp"

namespace workbook {

std::string role_name(role r) {
  static constexpr const char* names[] = {"previous", "reference", "yours", "library", "wrong", "compared"};
  return names[static_cast<std::size_t>(r)];
}

std::string shortly(double x) {
  if (std::isnan(x)) return "-";
  if (x == std::floor(x) && std::fabs(x) < 1e15) return fmt::format("{:.0f}", x);
  if (std::fabs(x) < 0.005) return fmt::format("{:.1e}", x);
  return std::fabs(x) < 100 ? fmt::format("{:.2f}", x) : fmt::format("{:.1f}", x);
}

std::string verdict(const outcome& o) {
  if (o.rejected) return "cannot";
  if (!o.failure.empty()) return "failed";
  if (!o.verified) return o.attempted ? "WRONG" : "not yet";
  return o.findings().empty() ? "yes" : "unsafe";
}

namespace {

/// The launch that a table and a goal speak of: the one that executed the most instructions, so that an empty launch in
/// front hides nothing; of equals the first.
const emulator::counter_map& main_counters(const outcome& o) {
  const auto executed = [](const emulator::launch_report& l) {
    const auto found = l.counters.find("workbook__inst_executed.sum");
    return found == l.counters.end() ? std::uint64_t{0} : found->second;
  };
  return std::max_element(o.launches.begin(), o.launches.end(),
                          [&](const auto& a, const auto& b) { return executed(a) < executed(b); })
      ->counters;
}

double counter(const outcome& o, const std::string& name) {
  if (o.launches.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto& c = main_counters(o);
  const auto found = c.find(name);
  return found == c.end() ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(found->second);
}

std::string plural(element_type type) {
  switch (type) {
    case element_type::int32:
      return "ints";
    case element_type::uint32:
      return "unsigned ints";
    case element_type::int64:
      return "long longs";
    case element_type::float32:
      return "floats";
    default:
      return "doubles";
  }
}

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 1) + "~";
}

/// The columns of a ladder's table on the emulator, where the chapter names none.
std::vector<column> usual_columns(std::size_t count) {
  return {{"adds", "a block", [](const outcome& o) { return per_block(o, "workbook__combines.sum"); }},
          {"conflicts", "a block",
           [](const outcome& o) { return per_block(o, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"); }},
          {"barriers", "a block", [](const outcome& o) { return per_block(o, "workbook__barriers.sum"); }},
          {"instr.", "an elem.",
           [count](const outcome& o) { return per_element(o, "workbook__inst_executed.sum", count); }}};
}

std::string count_rows(const chapter& c, const run_result& r) {
  const std::vector<column> columns = c.counts.empty() ? usual_columns(r.given.count) : c.counts;
  const auto width = [](const column& one) {
    return std::max<std::size_t>(one.first == "adds" ? 7 : 8, one.first.size());
  };
  std::string first = fmt::format("{:<26} {:<9} {:<7}", "", "", "");
  std::string second = fmt::format("{:<26} {:<9} {:<7}", "kernel", "role", "right?");
  for (const column& one : columns) {
    first += fmt::format(" {:>{}}", one.first, width(one));
    second += fmt::format(" {:>{}}", one.second, width(one));
  }
  std::string text = first + '\n' + second + '\n';
  for (const outcome& o : r.rows) {
    text += fmt::format("{:<26} {:<9} {:<7}", cut(o.name, 26), role_name(o.as), verdict(o));
    for (const column& one : columns) text += fmt::format(" {:>{}}", shortly(one.value(o)), width(one));
    text += '\n';
  }
  return text;
}

double gb_per_s(const run_result& r, double ms) {
  const double bytes = with_type(r.given.type, [](auto* tag) { return static_cast<double>(sizeof(*tag)); }) *
                       static_cast<double>(r.given.count);
  return ms > 0 ? bytes / ms / 1e6 : 0;
}

std::string time_rows(const run_result& r) {
  std::string text = fmt::format("{:<26} {:<9} {:<7} {:>10} {:>8} {:>6} {:>8}\n", "kernel", "role", "right?",
                                 "time (ms)", "GB/s", "peak", "warm");
  const double bytes = gb_per_s(r, 1.0) * 1e6;
  for (const outcome& o : r.rows) {
    const double ms = o.cold ? o.cold->median_ms : std::numeric_limits<double>::quiet_NaN();
    const double rate = o.cold ? gb_per_s(r, ms) : std::numeric_limits<double>::quiet_NaN();
    const std::string share =
        o.cold && r.device.peak_gb_per_s > 0 ? fmt::format("{:.1f}%", 100 * rate / r.device.peak_gb_per_s) : "-";
    text += fmt::format("{:<26} {:<9} {:<7} {:>10} {:>8} {:>6} {:>8}\n", cut(o.name, 26), role_name(o.as), verdict(o),
                        o.cold ? fmt::format("{:.4f}", ms) : "-", shortly(std::round(rate)), share,
                        o.warm ? shortly(std::round(gb_per_s(r, o.warm->median_ms))) : "-");
    if (o.cold && rate > r.device.peak_gb_per_s && r.device.peak_gb_per_s > 0)
      text += "    above the memory's peak: this is the cache's speed, not the memory's\n";
    if (o.cold && r.device.most.launch_us > 0 && ms * 1e3 < r.device.most.launch_us)
      text += "    below the time of an empty launch: this cannot be; the kernel did not run as it should\n";
  }
  const ceilings& most = r.device.most;
  text += fmt::format(
      "Peak: {:.0f} GB/s by clock and bus width. Measured here: reading {:.0f} GB/s ({:.1f}%), copying {:.0f} GB/s,\n"
      "an empty launch {:.1f} us (arrays of {} MiB).\n",
      r.device.peak_gb_per_s, most.read_gb_per_s, 100 * most.read_gb_per_s / r.device.peak_gb_per_s, most.copy_gb_per_s,
      most.launch_us, most.array_bytes >> 20);
  text += fmt::format("Times with a cold L2, median of {}; `warm` is GB/s with what L2 ({} MiB) kept.\n",
                      r.rows.empty() || !r.rows.front().cold ? 0 : r.rows.front().cold->repetitions,
                      r.device.l2_bytes >> 20);
  if (bytes < static_cast<double>(r.device.l2_bytes))
    text += "The input fits into L2: bandwidth says nothing about the memory at this size.\n";
  return text;
}

nlohmann::json time_json(const timing& t, const char* l2) {
  return {{"median", t.median_ms}, {"min", t.min_ms}, {"max", t.max_ms}, {"repetitions", t.repetitions}, {"l2", l2}};
}

nlohmann::json row_json(const outcome& o, const outcome* counted, const run_result& r, int chapter_number) {
  const outcome& with_counts = counted != nullptr ? *counted : o;
  nlohmann::json j = {{"name", o.name},
                      {"role", role_name(o.as)},
                      {"attempted", o.attempted},
                      {"verified", o.verified && with_counts.verified},
                      {"error", std::isfinite(o.error) ? nlohmann::json(o.error) : nlohmann::json()},
                      {"bound", o.bound},
                      {"result", o.result_text},
                      {"passes", o.passes}};
  j["rejected"] = o.rejected ? nlohmann::json(*o.rejected) : nlohmann::json();
  j["failure"] = o.failure.empty() ? nlohmann::json() : nlohmann::json(o.failure);
  j["launches"] = nlohmann::json::array();
  for (const emulator::launch_report& l : with_counts.launches) {
    nlohmann::json launch = emulator::report::to_json(l);
    for (nlohmann::json& d : launch["diagnoses"]) {
      const std::string advice =
          o.as == role::library ? std::string() : advice_for(d.at("kind"), taught_in(o, chapter_number));
      if (!advice.empty()) d["advice"] = advice;
    }
    j["launches"].push_back(std::move(launch));
  }
  j["findings"] = nlohmann::json::array();
  for (const emulator::finding& f : with_counts.findings()) j["findings"].push_back(emulator::report::to_json(f));
  j["time_ms"] = o.cold ? time_json(*o.cold, "cold") : nlohmann::json();
  j["time_warm_ms"] = o.warm ? time_json(*o.warm, "warm") : nlohmann::json();
  const double rate = !o.cold ? 0 : o.of_study ? o.bytes / o.cold->median_ms / 1e6 : gb_per_s(r, o.cold->median_ms);
  j["bandwidth_gb_per_s"] = rate > 0 ? nlohmann::json(rate) : nlohmann::json();
  j["share_of_peak"] =
      rate > 0 && r.device.peak_gb_per_s > 0 ? nlohmann::json(rate / r.device.peak_gb_per_s) : nlohmann::json();
  if (!o.group.empty()) j["group"] = o.group;
  if (with_counts.allocations) j["allocations"] = *with_counts.allocations;
  if (with_counts.compiled) j["compiled"] = as_json(o.compiled);
  return j;
}

/// 0 stands for what was not measured.
nlohmann::json number_or_null_if_zero(double x) {
  return x > 0 ? nlohmann::json(x) : nlohmann::json();
}

nlohmann::json number_or_null(double x) {
  return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json();
}

}  // namespace

std::string words_for(const outcome& o) {
  std::string text;
  if (o.rejected) text += fmt::format("\n{}: {}.\n", o.name, *o.rejected);
  if (!o.failure.empty())
    text += fmt::format("\n{} ({}): {}\n", o.name, role_name(o.as), o.failure);
  else if (!o.rejected && !o.verified) {
    text += fmt::format(
        "\n{} ({}) is wrong: {}off by {:.6g}; the largest error a correct result can have here is {:.3g}.\n", o.name,
        role_name(o.as), o.result_text.empty() ? "an output is " : fmt::format("it gave {}, which is ", o.result_text),
        o.error, o.bound);
  }
  // What may explain a wrong result, and is no fault where the result is right.
  for (const emulator::launch_report& launch : o.launches) {
    if (o.verified) break;
    for (const emulator::finding& note : launch.notes)
      text += fmt::format("\nnote: {}, {} {}\n  {}\n", note.kind, note.count, note.count == 1 ? "time" : "times",
                          note.message);
  }
  for (const emulator::finding& f : o.findings()) {
    text += fmt::format("\n{}: {}{}\n  {}\n", f.check, f.kind, f.count > 1 ? fmt::format(" ({} times)", f.count) : "",
                        f.message);
  }
  return text;
}

double total(const outcome& o, const std::string& name) {
  return counter(o, name);
}
double per_block(const outcome& o, const std::string& name) {
  return counter(o, name) / counter(o, "workbook__blocks.sum");
}
double per_warp(const outcome& o, const std::string& name) {
  return counter(o, name) / counter(o, "workbook__warps.sum");
}
double per_element(const outcome& o, const std::string& name, std::size_t count) {
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : counter(o, name) / static_cast<double>(count);
}

device_facts read_device_facts() {
  device_facts f;
  int device = 0;
  check(cudaGetDevice(&device));
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device));
  f.kind = emulator::selected_device() == emulator::device_kind::gpu ? "gpu" : "emulator";
  f.name = properties.name;
  f.major = properties.major;
  f.minor = properties.minor;
  f.multiprocessors = properties.multiProcessorCount;
  f.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  f.memory_bytes = properties.totalGlobalMem;
  const int clock_khz = device_attribute(cudaDevAttrMemoryClockRate);
  const int bus_bits = device_attribute(cudaDevAttrGlobalMemoryBusWidth);
  // Two transfers a clock, whole bytes.
  if (f.kind == "gpu") f.peak_gb_per_s = 2.0 * clock_khz * 1e3 * bus_bits / 8 / 1e9;
  f.most = measure_ceilings();
  return f;
}

goal_state evaluate(const goal& aim, const std::vector<outcome>& rows) {
  goal_state g;
  const auto of = [&](role r) -> const outcome* {
    const auto found = std::find_if(rows.begin(), rows.end(), [r](const outcome& o) { return o.as == r; });
    return found == rows.end() ? nullptr : &*found;
  };
  const outcome* yours = of(role::yours);
  const outcome* reference = of(role::reference);
  const outcome* before = of(role::previous);
  const bool right =
      yours != nullptr && yours->attempted && yours->verified && yours->findings().empty() && yours->failure.empty();
  if (!aim.value) {
    g.reached = right;
    return g;
  }
  const auto value = [&](const outcome* o) {
    return o == nullptr || o->launches.empty() ? std::numeric_limits<double>::quiet_NaN() : aim.value(*o);
  };
  g.counted = true;
  g.target = value(reference);
  g.before = value(before);
  g.yours = value(yours);
  // Where there is no chapter before, or it needed no more, only the target itself will do.
  g.allowed = g.before > g.target ? g.target + aim.slack * (g.before - g.target) : g.target;
  g.one_launch_a_pass = yours == nullptr || !yours->verified || yours->launches.size() <= yours->passes;
  g.reached = right && g.one_launch_a_pass && g.yours <= g.allowed * (1 + 1e-9);
  return g;
}

std::string notes(const chapter& c, const run_result& r) {
  std::string text;
  for (const outcome& o : r.rows) {
    text += o.attempted ? words_for(o)
                        : fmt::format("\nYour kernel is as the chapter gave it. Edit {} in the chapter's folder.\n",
                                      c.exercise);
  }
  return text;
}

std::string block_text(const problem& p) {
  if (p.block_shape[0] == 0) return fmt::format("{}", p.block_size);
  std::string text = fmt::format("{} x {}", p.block_shape[0], p.block_shape[1]);
  return p.block_shape[2] > 1 ? fmt::format("{} x {}", text, p.block_shape[2]) : text;
}

std::string input_text(const chapter& c, const run_result& r) {
  const std::string counted =
      c.kernels ? fmt::format("{} of {}", c.kernels->counted, plural(r.given.type)) : plural(r.given.type);
  return fmt::format("{} {}, blocks of {} threads, seed {}, on {} {}", r.given.count, counted, block_text(r.given),
                     r.given.seed, r.device.kind == "gpu" ? "the GPU" : "the emulator as", r.device.name);
}

std::string table(const chapter& c, const run_result& r) {
  std::string text = fmt::format("Chapter {}: {}\n{}\n\n", c.number, c.title, input_text(c, r));
  text += c.kernels ? study_rows(*c.kernels, r) : r.device.kind == "gpu" ? time_rows(r) : count_rows(c, r);
  return text + notes(c, r);
}

std::string goal_text(const chapter& c, const run_result& counted) {
  const goal_state g = evaluate(c.aim, counted.rows);
  std::string text = fmt::format("\nGoal: {}.\n", c.aim.text);
  if (g.counted)
    text += fmt::format("  {}: wanted {}, before {}, yours {}.\n", c.aim.metric, shortly(g.target), shortly(g.before),
                        shortly(g.yours));
  if (g.reached && g.counted && g.yours > g.target * (1 + 1e-9))
    text += fmt::format("  Up to {} is as good: yours is another way.\n", shortly(g.allowed));
  if (!g.one_launch_a_pass) text += "  One launch a pass is asked for: yours makes more.\n";
  text += g.reached ? "  Reached.\n" : "  Not reached yet.\n";
  if (!c.remark.empty()) text += "\n" + c.remark + "\n";
  return text;
}

nlohmann::json goal_json(const chapter& c, const run_result& counted) {
  const goal_state g = evaluate(c.aim, counted.rows);
  nlohmann::json j = {{"text", c.aim.text}, {"metric", c.aim.metric}, {"reached", g.reached}};
  j["target"] = g.counted ? number_or_null(g.target) : nlohmann::json();
  j["allowed"] = g.counted ? number_or_null(g.allowed) : nlohmann::json();
  j["before"] = g.counted ? number_or_null(g.before) : nlohmann::json();
  j["yours"] = g.counted ? number_or_null(g.yours) : nlohmann::json();
  return j;
}

nlohmann::json as_json(const chapter& c, const run_result& main, const run_result* counted) {
  const run_result& counts = counted != nullptr ? *counted : main;
  nlohmann::json j = {{"schema", 1}, {"chapter", c.number}, {"title", c.title}};
  j["device"] = {{"kind", main.device.kind},
                 {"name", main.device.name},
                 {"compute_capability", fmt::format("{}.{}", main.device.major, main.device.minor)},
                 {"multiprocessors", main.device.multiprocessors},
                 {"l2_bytes", main.device.l2_bytes},
                 {"read_gb_per_s", number_or_null_if_zero(main.device.most.read_gb_per_s)},
                 {"copy_gb_per_s", number_or_null_if_zero(main.device.most.copy_gb_per_s)},
                 {"launch_us", number_or_null_if_zero(main.device.most.launch_us)},
                 {"peak_gb_per_s", number_or_null_if_zero(main.device.peak_gb_per_s)}};
  j["input"] = {{"type", name_of(main.given.type)},
                {"count", main.given.count},
                {"seed", main.given.seed},
                {"block_size", main.given.block_size}};
  if (main.given.block_shape[0] != 0) j["input"]["block_shape"] = main.given.block_shape;
  if (counted != nullptr) j["counted_input"] = {{"count", counted->given.count}};
  j["kernels"] = nlohmann::json::array();
  for (std::size_t k = 0; k < main.rows.size(); ++k) {
    j["kernels"].push_back(row_json(
        main.rows[k], counted != nullptr && k < counted->rows.size() ? &counted->rows[k] : nullptr, main, c.number));
  }
  j["goal"] = goal_json(c, counts);
  return j;
}

}  // namespace workbook
