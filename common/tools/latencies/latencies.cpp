// Measures with clock64 how long dependent instructions take, and how long the ends of a reduction that chapter 14
// compares. The JSON is a cost table for the superoptimiser, with the model's prediction beside each sequence's
// measurement. On the emulator, which has no cycles, every kernel is run and its result compared, and nothing is timed.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "device/buffer.hpp"
#include "host/command_line.hpp"
#include "host/json_file.hpp"
#include "host/program.hpp"
#include "superopt/evaluate.hpp"
#include "superopt/latency.hpp"
#include "tools/latencies/kernels.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/measure.hpp"

namespace {

using namespace workbook;

constexpr unsigned repetitions = 64;

/// Launches once with `count` repetitions. Returns the cycles between the readings of the clock; lane 0's result in
/// `sum`.
double cycles_of_launch(const chain_kernel& k, unsigned count, unsigned& sum) {
  device_bytes cycles(sizeof(long long)), values(32 * sizeof(unsigned));
  std::vector<unsigned> lanes(32);
  std::iota(lanes.begin(), lanes.end(), 1u);
  check(cudaMemcpy(values.data(), lanes.data(), values.size_bytes(), cudaMemcpyHostToDevice));
  void* where[] = {cycles.data(), values.data()};
  void* arguments[] = {&where[0], &where[1], &count};
  check(cudaLaunchKernel(k.kernel, dim3(1), dim3(32), arguments, 0, nullptr));
  long long measured = 0;
  check(cudaMemcpy(&measured, cycles.data(), sizeof measured, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(lanes.data(), values.data(), values.size_bytes(), cudaMemcpyDeviceToHost));
  sum = lanes[0];
  return static_cast<double>(measured);
}

/// Cycles of a step: what more repetitions cost more, so that reading the clock cancels; the least of several runs.
double cycles_of_step(const chain_kernel& k) {
  double least = HUGE_VAL;
  unsigned ignored = 0;
  for (int run = 0; run < 15; ++run) {
    const double once = cycles_of_launch(k, repetitions, ignored),
                 twice = cycles_of_launch(k, 2 * repetitions, ignored);
    least = std::min(least, (twice - once) / (static_cast<double>(repetitions) * k.steps));
  }
  return least;
}

/// What lane 0 holds when all steps of `name`, each the program of a target, have been done: the same as on the host?
bool right(const chain_kernel& k) {
  constexpr unsigned count = 3;
  unsigned got = 0;
  (void)cycles_of_launch(k, count, got);
  std::array<std::uint32_t, 32> a{}, b{}, c{};
  for (unsigned l = 0; l < 32; ++l) a[l] = l + 1, b[l] = (l ^ 1) + 1, c[l] = (l ^ 2) + 1;
  const bool redux = k.name == "redux";
  const superopt::target t = superopt::load_target(redux ? "sum32_all" : k.name);
  for (unsigned step = 0; step < 2 * count * k.steps; ++step) {
    const auto next = superopt::run(t.code, t, {a}, t.outputs[0].reg);
    c = b;
    b = a;
    a = next;
  }
  return got == a[0] + b[0] + c[0];
}

struct words {
  emulator::device_kind device = emulator::device_kind::gpu;
  std::string json, commit = "unknown", name;
};

/// Measures every instruction and makes a cost table of it.
nlohmann::json measure_table(const device_facts& facts, const words& w, const std::string& command, bool old) {
  int driver = 0, toolkit = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&toolkit);
  nlohmann::json table = {{"schema", 1},
                          {"name", w.name.empty() ? facts.name : w.name},
                          {"issue_width", 1},
                          {"provenance",
                           {{"gpu", facts.name},
                            {"driver_cuda", driver},
                            {"toolkit", toolkit},
                            {"date", host::utc_now()},
                            {"command", command},
                            {"commit", w.commit}}}};
  std::map<std::string, double> measured;
  for (const chain_kernel& k : single_instructions()) {
    if (k.needs_80 && old) continue;
    measured[k.name] = cycles_of_step(k) - (k.subtract.empty() ? 0 : measured[k.subtract]);
    fmt::print("{:<12} {:>7.2f} cycles\n", k.name, measured[k.name]);
    nlohmann::json entry = {{"measured_cycles", measured[k.name]},
                            {"latency", std::max(1, static_cast<int>(std::lround(measured[k.name])))},
                            {"source", "a chain of dependent instructions of one warp, by clock64"}};
    if (k.name == "LDS") {
      // The search has no memory; the figure is for the lesson.
      table["shared_load"] = entry;
    } else {
      table["instructions"][k.name] = entry;
    }
  }
  for (const auto& [name, like] : {std::pair{"IADD", "IADD3"}, {"SEL", "LOP3"}, {"MOV", "LOP3"}}) {
    table["instructions"][name] = {{"latency", table["instructions"][like]["latency"]},
                                   {"source", fmt::format("taken to be as {}; not measured", like)}};
  }
  return table;
}

/// Measures the sequences; beside each stands what the model says with the table just measured.
void measure_sequences(nlohmann::json& table, bool old) {
  const superopt::cost_table model = superopt::parse_cost_table(table, "measured");
  table["sequences"] = nlohmann::json::array();
  for (const chain_kernel& k : whole_sequences()) {
    if (k.needs_80 && old) continue;
    const double cycles = cycles_of_step(k);
    double modelled = model.latency[static_cast<std::size_t>(superopt::family::redux)];
    if (k.name != "redux") {
      const superopt::target t = superopt::load_target(k.name);
      modelled = superopt::cycles_of(t.code, t, model);
    }
    fmt::print("{:<12} {:>7.2f} cycles, by the model {}\n", k.name, cycles, modelled);
    table["sequences"].push_back({{"name", k.name}, {"measured_cycles", cycles}, {"modelled_cycles", modelled}});
  }
}

int run(const words& w, const std::string& command) {
  emulator::select_device(w.device);
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  const bool old = major < 8;
  host::json_file json(w.json);
  bool good = true;
  for (const chain_kernel& k : whole_sequences()) {
    if (k.needs_80 && old) continue;
    const bool fine = right(k);
    good = good && fine;
    if (!fine) fmt::print("{}: WRONG\n", k.name);
  }
  if (w.device == emulator::device_kind::emulator) {
    unsigned ignored = 0;
    for (const chain_kernel& k : single_instructions()) (void)cycles_of_launch(k, 1, ignored);
    fmt::print("The emulator has no cycles: every sequence {}, and nothing was timed.\n",
               good ? "is right" : "ran, not every one right");
    json.write({{"schema", 1}, {"right", good}, {"instructions", nlohmann::json::object()}});
    return good ? 0 : 1;
  }
  nlohmann::json table = measure_table(read_device_facts(), w, command, old);
  measure_sequences(table, old);
  json.write(table);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  words w;
  CLI::App app{"Measures the latencies of instructions and of the ends of a reduction with the multiprocessor's clock",
               "latencies"};
  app.add_option("--device", w.device, "gpu: measure; emulator: run every kernel and check what it computes")
      ->transform(a_device());
  app.add_option("--json", w.json, "Write a cost table for the superoptimiser; - is standard output");
  app.add_option("--name", w.name, "The table's name; left out: the GPU's");
  app.add_option("--commit", w.commit, "What was built, for the record");
  return host::run_program(app, argc, argv, 3, [&] { return run(w, host::command_text("latencies", argc, argv)); });
}
