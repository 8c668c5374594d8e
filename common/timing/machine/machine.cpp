// Measures the properties of a GPU that explain how long kernels take. On the emulator, which measures no times, every
// kernel runs once under all checks, and the results that are known on the host are compared.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/links.hpp"
#include "host/command_line.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "timing/machine/parts.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/device_facts.hpp"

namespace {

using namespace workbook;

enum class part { starts, launches, latencies, bandwidth, ceilings, shared, instructions, shuffles, links };

const std::vector<std::pair<std::string, part>> part_names = {{"starts", part::starts},
                                                              {"launches", part::launches},
                                                              {"latencies", part::latencies},
                                                              {"bandwidth", part::bandwidth},
                                                              {"ceilings", part::ceilings},
                                                              {"shared", part::shared},
                                                              {"instructions", part::instructions},
                                                              {"shuffles", part::shuffles},
                                                              {"links", part::links}};

/// Returns the properties of the device, as the runtime reports them. \throws device_error
nlohmann::json device_facts_of(bool timed) {
  int device = 0;
  check(cudaGetDevice(&device));
  cudaDeviceProp p{};
  check(cudaGetDeviceProperties(&p, device));
  const int threads = p.maxThreadsPerMultiProcessor;
  nlohmann::json facts = {{"name", p.name},
                          {"compute_capability", fmt::format("{}.{}", p.major, p.minor)},
                          {"multiprocessors", p.multiProcessorCount},
                          {"threads_per_multiprocessor", threads},
                          {"warps_per_multiprocessor", threads / p.warpSize},
                          {"blocks_per_multiprocessor", p.maxBlocksPerMultiProcessor},
                          {"registers_per_multiprocessor", p.regsPerMultiprocessor},
                          {"shared_bytes_per_multiprocessor", p.sharedMemPerMultiprocessor},
                          {"shared_bytes_per_block", p.sharedMemPerBlockOptin},
                          {"l2_bytes", p.l2CacheSize},
                          {"memory_bytes", p.totalGlobalMem},
                          {"clock_mhz", device_attribute(cudaDevAttrClockRate) / 1e3},
                          {"memory_clock_mhz", device_attribute(cudaDevAttrMemoryClockRate) / 1e3},
                          {"memory_bus_bits", device_attribute(cudaDevAttrGlobalMemoryBusWidth)},
                          // Null on the emulator, which measures no times.
                          {"peak_gb_per_s", nullptr}};
  if (timed) facts["peak_gb_per_s"] = peak_gb_per_s();
  return facts;
}

struct arguments {
  emulator::device_kind device = emulator::device_kind::gpu;
  std::vector<part> parts;
  std::string json, cost_table, commit = "unknown", name;
};

nlohmann::json measure(machine::bench& b, part which, nlohmann::json& cost_table) {
  switch (which) {
    case part::starts:
      return machine::measure_starts(b);
    case part::launches:
      return machine::measure_launches(b);
    case part::latencies:
      return machine::measure_latencies(b, cost_table);
    case part::bandwidth:
      return machine::measure_bandwidth(b);
    case part::ceilings:
      return machine::measure_best_sweeps(b);
    case part::shared:
      return machine::measure_shared(b);
    case part::instructions:
      return machine::measure_instructions(b);
    case part::shuffles:
      return machine::measure_shuffles(b);
    case part::links:
      return machine::measure_links(b);
  }
  return nullptr;
}

int run(const arguments& args, const std::string& command) {
  const auto wanted = [&](part which) {
    return args.parts.empty() || std::find(args.parts.begin(), args.parts.end(), which) != args.parts.end();
  };
  if (!args.cost_table.empty() && !wanted(part::latencies))
    throw host::usage_error("--cost-table: the table is made of latencies, which are not among the --parts");
  if (args.device == emulator::device_kind::emulator)
    emulator::set_devices(3);  // enough for a pair, and for a ring of more than two
  emulator::select_device(args.device);
  host::json_file json(args.json), cost_table(args.cost_table);
  const bool spoken_elsewhere = json.is_standard_output() || cost_table.is_standard_output();
  const bool timed = args.device == emulator::device_kind::gpu;
  machine::bench b(timed, spoken_elsewhere ? stderr : stdout);
  nlohmann::json table, record = {{"schema", 1}, {"device", device_facts_of(timed)}};
  const std::string gpu = record["device"]["name"];
  record["provenance"] = provenance_of(gpu, command, args.commit);
  b.tell(fmt::format("{}, {} multiprocessors\n", gpu, record["device"]["multiprocessors"].dump()));
  for (const auto& [name, which] : part_names)
    if (wanted(which)) record[name] = measure(b, which, table);
  json.write(record, 1);
  if (timed) {
    table["name"] = args.name.empty() ? gpu : args.name;
    table["provenance"] = record["provenance"];
  }
  if (!args.cost_table.empty()) cost_table.write(table);
  if (!timed) {
    b.tell(fmt::format("The emulator has no time: every kernel {}, and nothing was timed.\n",
                       b.all_right() ? "does what it should" : "ran, not every one as it should"));
  }
  return b.all_right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  host::parser app{"Measures the facts of a GPU that explain how long kernels take", "machine"};
  app.add_option("--device", args.device, "gpu: measure; emulator: run every kernel and check what it does")
      .transform(a_device());
  app.add_option("--parts", args.parts, "Parts to measure, separated by commas (default: everything)")
      .delimiter(',')
      .transform(one_of("part", part_names));
  app.add_option("--json", args.json, "File for the results; - is standard output");
  app.add_option("--cost-table", args.cost_table, "File for a cost table for the superoptimiser; - is standard output");
  app.add_option("--name", args.name, "Name of the cost table (default: the GPU's)");
  app.add_option("--commit", args.commit, "Commit that was built, for the record");
  return host::run_program(app, argc, argv, 3, [&] { return run(args, host::command_text("machine", argc, argv)); });
}
