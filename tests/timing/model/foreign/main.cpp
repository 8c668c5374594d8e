// Runs the kernels that are not reductions. On a GPU they are checked and timed, on the emulator checked and counted.

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/report/json.hpp"
#include "host/command_line.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "reductions/buffer.hpp"
#include "timing/model/foreign/foreign.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/guarded.hpp"

namespace {

using namespace workbook;

struct arguments {
  emulator::device_kind device =
      emulator::gpu_available() ? emulator::device_kind::gpu : emulator::device_kind::emulator;
  std::size_t count = 0;  ///< 0: a number that suits the device is chosen.
  int repetitions = 21;
  std::string json, commit = "unknown";
  std::vector<std::string> names;
};

/// Facts about the experiment that an outcome does not store.
struct shape {
  launch_plan plan;
  dim3 grid{};
  std::size_t outputs = 0;
  double bytes = 0;
};

/// Returns a copy of `kernel` that fills `seen` when it is prepared.
specimen watched(specimen kernel, shape& seen) {
  kernel.prepare = [prepare = kernel.prepare, &seen](const problem& p) {
    std::unique_ptr<experiment> e = prepare(p);
    seen = {.plan = e->plan(), .bytes = e->bytes()};
    if (const auto* one = dynamic_cast<const foreign::countable*>(e.get())) {
      seen.grid = one->grid();
      seen.outputs = one->outputs();
    }
    return e;
  };
  return kernel;
}

nlohmann::json as_json(const outcome& o, const shape& seen) {
  nlohmann::json row = {{"group", o.group},
                        {"kernel", o.name},
                        {"count", o.count},
                        {"outputs", seen.outputs},
                        {"block_size", seen.plan.block_size},
                        {"grid", {seen.grid.x, seen.grid.y, seen.grid.z}},
                        {"dynamic_shared_bytes", seen.plan.dynamic_shared_bytes},
                        {"cold_us", nullptr},
                        {"warm_us", nullptr},
                        {"verified", o.verified},
                        {"bytes", seen.bytes}};
  if (!o.failure.empty()) row["failure"] = o.failure;
  for (const auto& [kind, t] : {std::pair{"cold", &o.cold}, {"warm", &o.warm}}) {
    if (!*t) continue;
    row[fmt::format("{}_us", kind)] = (*t)->median_ms * 1e3;
    row[fmt::format("{}_min_us", kind)] = (*t)->min_ms * 1e3;
    row[fmt::format("{}_max_us", kind)] = (*t)->max_ms * 1e3;
    row["queued"] = (*t)->queued && row.value("queued", true);
  }
  if (o.compiled) row["registers"] = o.compiled->registers;
  if (!o.launches.empty()) {
    nlohmann::json launch = emulator::report::to_json(o.main_launch());
    launch.erase("lines");
    row["launch"] = std::move(launch);
  }
  return row;
}

void print(std::FILE* to, const outcome& o) {
  std::string figures;
  if (o.cold && o.warm)
    figures = fmt::format("{:>12.2f} {:>12.2f} us", o.cold->median_ms * 1e3, o.warm->median_ms * 1e3);
  else if (!o.launches.empty())
    figures =
        fmt::format("{:>12} {:>12}", o.main_launch().counters.at("workbook__inst_executed.sum"), o.findings().size());
  fmt::print(to, "{:<54} {:<6}{} {}\n", o.name,
             o.rejected   ? ""
             : o.verified ? "right"
                          : "WRONG",
             figures, o.rejected.value_or(o.failure));
  for (const emulator::finding& f : o.findings())
    fmt::print(to, "    {}: {} ({}:{})\n", name_of(f.check()), f.message, end_of_path(f.file), f.line);
  std::fflush(to);
}

/// Returns the kernels whose name or group is given on the command line, or all if no name is given.
std::vector<specimen> wanted(const std::vector<std::string>& names) {
  std::vector<specimen> all = foreign::all_foreign_kernels(), some;
  for (const std::string& name : names) {
    const auto is_meant = [&](const specimen& kernel) { return kernel.name == name || kernel.group == name; };
    if (std::none_of(all.begin(), all.end(), is_meant))
      throw host::usage_error(fmt::format("there is no kernel and no group '{}'; --list shows them", name));
    std::copy_if(all.begin(), all.end(), std::back_inserter(some), is_meant);
  }
  return names.empty() ? all : some;
}

int list() {
  for (const specimen& kernel : foreign::all_foreign_kernels()) fmt::print("{:<18} {}\n", kernel.group, kernel.name);
  return 0;
}

int run(const arguments& args, const std::string& command) {
  const std::vector<specimen> kernels = wanted(args.names);
  emulator::select_device(args.device);
  const problem p{.type = element_type::float32,
                  .count = args.count != 0 ? args.count : std::size_t{1} << (on_gpu() ? 24 : 16),
                  .block_size = 256};
  host::json_file json(args.json);
  std::FILE* const spoken = json.is_standard_output() ? stderr : stdout;
  nlohmann::json j = {{"schema", 1},
                      {"provenance", provenance_of(read_device_facts(), command, args.commit)},
                      {"type", name_of(p.type)},
                      {"results", nlohmann::json::array()}};
  if (!on_gpu()) {
    // The emulator's default limit suits a reduction, but a matrix product has more instructions.
    emulator::options options = emulator::current_options();
    options.max_instructions = std::uint64_t{1} << 40;
    emulator::set_options(options);
  }
  fmt::print(spoken, "{} elements\n{:<60}{:>12} {:>12}\n", p.count, "", on_gpu() ? "cold" : "instructions",
             on_gpu() ? "warm" : "findings");
  bool good = true;
  std::string group;
  for (const specimen& kernel : kernels) {
    if (kernel.group != group) fmt::print(spoken, "{}\n", group = kernel.group);
    shape seen;
    const outcome o = examine(watched(kernel, seen), p, effort{.repetitions = args.repetitions, .explains = false});
    good = good && !o.rejected && o.passed();
    print(spoken, o);
    j["results"].push_back(as_json(o, seen));
  }
  json.write(j, 1);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  bool lists = false;
  host::parser app{
      "Runs kernels that are not reductions, checks what they compute, and writes their times (GPU) or counts "
      "(emulator) as JSON. Status 1: a kernel is wrong, or the emulator's checks found something",
      "foreign"};
  app.add_option("--device", args.device, "gpu measures, emulator counts. Default: gpu if there is a GPU")
      .transform(a_device());
  app.add_option("--count", args.count, "Output elements of each kernel; at least 1024 (2^24, on the emulator 2^16)")
      .transform(a_count());
  app.add_option("--repetitions", args.repetitions, "Timed runs, cold and warm; 0: only verify")
      .check(repetitions_from(0));
  app.add_option("--json", args.json, "File for the results; - is standard output");
  app.add_option("--commit", args.commit, "Commit that the programs were built from, for the record");
  app.add_flag("--list", lists, "Print the groups and kernels");
  app.add_option("names", args.names, "Names of kernels or groups; all kernels if there are none");
  return host::run_program(app, argc, argv, 3,
                           [&] { return lists ? list() : run(args, host::command_text("foreign", argc, argv)); });
}
