#include "tools/machine/cost_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "superopt/evaluate.hpp"
#include "superopt/latency.hpp"
#include "tools/machine/clocked.hpp"

namespace workbook::machine {
namespace {

/// What lane 0 holds when all steps of the sequence, each the program of a target, have been done: the same as on the
/// host?
bool right(const clocked_kernel& k) {
  constexpr unsigned count = 3;
  const unsigned got = run_clocked(k, count).values[0];
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

bool can_run(const clocked_kernel& k) {
  return !k.needs_80 || device_attribute(cudaDevAttrComputeCapabilityMajor) >= 8;
}

/// Measures the sequences; beside each stands what the model says with `table`.
nlohmann::json measure_sequences(bench& b, const nlohmann::json& table) {
  const superopt::cost_table model = superopt::parse_cost_table(table, "measured");
  nlohmann::json sequences = nlohmann::json::array();
  for (const clocked_kernel& k : whole_sequences()) {
    if (!can_run(k)) continue;
    const double cycles = cycles_of_step(b, k);
    double modelled = model.latency[static_cast<std::size_t>(superopt::family::redux)];
    if (k.name != "redux") {
      const superopt::target t = superopt::load_target(k.name);
      modelled = superopt::cycles_of(t.code, t, model);
    }
    b.say("  {:<12} {:>7.2f} cycles, by the model {}\n", k.name, cycles, modelled);
    sequences.push_back({{"name", k.name}, {"measured_cycles", cycles}, {"modelled_cycles", modelled}});
  }
  return sequences;
}

}  // namespace

std::map<std::string, double> measure_chains(bench& b) {
  std::map<std::string, double> measured;
  for (const clocked_kernel& k : single_instructions()) {
    if (!can_run(k)) continue;
    measured[k.name] = cycles_of_step(b, k) - (k.subtract.empty() ? 0 : measured[k.subtract]);
    b.say("  {:<12} {:>7.2f} cycles\n", k.name, measured[k.name]);
  }
  return measured;
}

nlohmann::json make_cost_table(bench& b, const std::map<std::string, double>& chains) {
  bool good = true;
  for (const clocked_kernel& k : whole_sequences()) {
    if (!can_run(k)) continue;
    const bool fine = right(k);
    good = good && fine;
    b.expect(fine, k.name + ": another sum than on the host");
  }
  b.take_findings();
  if (!b.timed()) return {{"schema", 1}, {"right", good}, {"instructions", nlohmann::json::object()}};
  nlohmann::json table = {{"schema", 1}, {"issue_width", 1}};
  for (const auto& [name, cycles] : chains) {
    const nlohmann::json entry = {{"measured_cycles", cycles},
                                  {"latency", std::max(1, static_cast<int>(std::lround(cycles)))},
                                  {"source", "a chain of dependent instructions of one warp, by clock64"}};
    if (name == "LDS") {
      // The search has no memory; the figure is for the lesson.
      table["shared_load"] = entry;
    } else {
      table["instructions"][name] = entry;
    }
  }
  for (const auto& [name, like] : {std::pair{"IADD", "IADD3"}, {"SEL", "LOP3"}, {"MOV", "LOP3"}}) {
    table["instructions"][name] = {{"latency", table["instructions"][like]["latency"]},
                                   {"source", fmt::format("taken to be as {}; not measured", like)}};
  }
  table["sequences"] = measure_sequences(b, table);
  return table;
}

}  // namespace workbook::machine
