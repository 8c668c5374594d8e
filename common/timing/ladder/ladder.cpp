// Times the whole ladder in one run, as JSON: chapters 1 to 9 and 12, the reduction in one launch, and the libraries'
// reductions, over a list of sizes. The ladders in `plots/data` were recorded with it.

#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "chapters/rungs.hpp"
#include "host/command_line.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "reductions/buffer.hpp"
#include "timing/ladder/others.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/library.hpp"

namespace {

using namespace workbook;

struct arguments {
  emulator::device_kind device = emulator::device_kind::gpu;
  std::vector<std::size_t> counts = {1u << 10, 1u << 16, 1u << 20, 1u << 22, 1u << 26};
  element_type type = element_type::int32;
  unsigned block_size = 128;
  int repetitions = 21;
  std::string json, commit = "unknown";
};

nlohmann::json as_json(const outcome& o, int chapter, std::size_t n, double bytes) {
  nlohmann::json row = {{"count", n},       {"kernel", o.name}, {"chapter", chapter}, {"verified", o.verified},
                        {"error", o.error}, {"bound", o.bound}};
  if (!o.failure.empty()) row["failure"] = o.failure;
  for (const auto& [name, t] : {std::pair{"cold_ms", &o.cold}, {"warm_ms", &o.warm}, {"idle_ms", &o.idle}}) {
    if (!*t) continue;
    row[name] = {{"median", (*t)->median_ms}, {"min", (*t)->min_ms}, {"max", (*t)->max_ms}};
  }
  if (o.cold) {
    row["cold_gb_per_s"] = bytes / o.cold->median_ms / 1e6;
    row["queued"] = o.cold->queued;
  }
  return row;
}

int run(const arguments& args, const std::string& command) {
  emulator::select_device(args.device);
  const device_facts facts = read_device_facts();
  host::json_file json(args.json);
  std::FILE* const spoken = json.is_standard_output() ? stderr : stdout;
  nlohmann::json j = {{"schema", 1},
                      {"provenance", provenance_of(facts, command, args.commit)},
                      {"type", name_of(args.type)},
                      {"block_size", args.block_size}};
  j["results"] = nlohmann::json::array();
  std::vector<reduction> ladder = ladder_solutions();
  reduction thrust = make_whole("thrust::reduce", role::library, 0, thrust_table());
  // The same number of loads as for CUB, because Thrust is built on CUB.
  thrust.depth = library_reduction().depth;
  for (const reduction& other : {one_launch_reduction(), library_reduction(), thrust}) ladder.push_back(other);
  for (const reduction& rung : ladder) {
    if (const auto why = rung.rejects ? rung.rejects(args.block_size) : std::nullopt)
      throw host::usage_error("--block-size: " + rung.name + ": " + *why);
  }
  const auto element_bytes = with_type(args.type, [](auto* tag) { return static_cast<double>(sizeof(*tag)); });
  bool good = true;
  for (const std::size_t n : args.counts) {
    laboratory lab({args.type, n, args.block_size, 1});
    const double bytes = element_bytes * static_cast<double>(n);
    for (const reduction& rung : ladder) {
      const outcome o = lab.run(
          rung, effort{.observe = args.device == emulator::device_kind::emulator, .repetitions = args.repetitions});
      good = good && o.passed();
      fmt::print(spoken, "{:>12} {:<26} {:<6} {:>10.4f} ms {:>8.1f} GB/s {}\n", n, o.name,
                 o.verified ? "right" : "WRONG", o.cold ? o.cold->median_ms : 0.0,
                 o.cold ? bytes / o.cold->median_ms / 1e6 : 0.0, o.failure);
      std::fflush(spoken);
      j["results"].push_back(as_json(o, rung.chapter, n, bytes));
    }
  }
  json.write(j, 1);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  host::parser app{
      "Runs chapters 1 to 9 and 12, the reduction in one launch and the library over several sizes, and writes times, "
      "errors and bounds as JSON",
      "ladder"};
  app.add_option("--device", args.device, "gpu: measure; emulator: verify").transform(a_device());
  app.add_option("--counts", args.counts, "Sizes, separated by commas (2^10,2^16,2^20,2^22,2^26)")
      .delimiter(',')
      .transform(a_count());
  app.add_option("--type", args.type, "Type of the elements").transform(a_type());
  app.add_option("--block-size", args.block_size, "Threads per block").check(a_block_size());
  app.add_option("--repetitions", args.repetitions, "Timed runs, cold and warm; 0: only verify")
      .check(repetitions_from(0));
  app.add_option("--json", args.json, "File for the results; - is standard output");
  app.add_option("--commit", args.commit, "Commit that the programs were built from, for the record");
  return host::run_program(app, argc, argv, 3, [&] { return run(args, host::command_text("ladder", argc, argv)); });
}
