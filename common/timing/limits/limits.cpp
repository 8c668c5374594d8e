// Divides the time of each kernel of the ladder into parts: times its ablations over sizes and block sizes, as JSON.
// `plots/data/ablations_h200.json` was recorded with it.

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "chapters/rungs.hpp"
#include "host/command_line.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "reductions/buffer.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/limit.hpp"

namespace {

using namespace workbook;

struct arguments {
  emulator::device_kind device = emulator::device_kind::gpu;
  std::vector<std::size_t> counts = {std::size_t{1} << 16, std::size_t{1} << 22, std::size_t{1} << 29};
  std::vector<unsigned> block_sizes = {64, 128, 256, 512};
  element_type type = element_type::int32;
  int repetitions = 7;
  std::string json, commit = "unknown";
};

void print(std::FILE* spoken, const ablation_study& d, const ceilings& limits) {
  fmt::print(spoken, "{:>11} {:>5} {:<24}", d.given.count, d.given.block_size, d.name);
  for (const ablation what : all_ablations) {
    const auto found = d.microseconds.find(what);
    fmt::print(spoken, " {:>10}", found == d.microseconds.end() ? "-" : fmt::format("{:.1f}", found->second));
  }
  const experiment_share l = limit_of(d, limits);
  fmt::print(spoken, "{}\n", d.microseconds.empty() ? "" : fmt::format("  {} {:.0f}%", words_for(l), 100 * l.share));
  std::fflush(spoken);
}

int run(const arguments& args, const std::string& command) {
  if (std::find(args.counts.begin(), args.counts.end(), std::size_t{0}) != args.counts.end())
    throw host::usage_error("--counts: of 0 elements there is nothing to take apart; give 1 or more");
  emulator::select_device(args.device);
  const device_facts facts = read_device_facts();
  host::json_file json(args.json);
  const std::vector<reduction> ladder = ladder_solutions();
  const std::vector<specimen> rows = rows_of(ladder);
  nlohmann::json j = {
      {"schema", 1}, {"provenance", provenance_of(facts, command, args.commit)}, {"type", name_of(args.type)}};
  j["rows"] = nlohmann::json::array();
  // Whether a kernel has bank conflicts, by its row and the block size.
  std::map<std::pair<std::size_t, unsigned>, bool> meets;
  for (const unsigned block_size : args.block_sizes) {
    const problem given{args.type, args.counts.front(), block_size, 1};
    if (const auto why = rows.front().why_not(given)) throw host::usage_error("--block-sizes: " + *why);
    for (std::size_t k = 0; k < rows.size(); ++k)
      meets[{k, block_size}] = !rows[k].why_not(given) && has_conflicts(count_on_emulator(rows[k], given));
  }
  std::FILE* const spoken = json.is_standard_output() ? stderr : stdout;
  fmt::print(spoken, "{:>11} {:>5} {:<24}", "n", "block", "kernel, us");
  for (const ablation what : all_ablations) fmt::print(spoken, " {:>10}", name_of(what));
  fmt::print(spoken, "\n");
  ablation_timer timer;
  for (const std::size_t n : args.counts) {
    for (const unsigned block_size : args.block_sizes) {
      const problem given{args.type, n, block_size, 1};
      for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k].why_not(given)) continue;
        ablation_study d = timer.take(rows[k], given, args.repetitions);
        d.conflicts = meets.at({k, block_size});
        print(spoken, d, facts.most);
        j["rows"].push_back(as_json(d, facts.most));
        j["rows"].back()["chapter"] = ladder[k].chapter;
      }
    }
  }
  for (const specimen& row : rows) {
    if (row.release) row.release();
  }
  json.write(j);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  host::parser app{
      "Times the kernels of the ladder with parts of them taken out, and writes what their time is made of", "limits"};
  app.add_option("--device", args.device, "gpu: measure; emulator: run every ablation once").transform(a_device());
  app.add_option("--counts", args.counts, "Sizes, separated by commas").delimiter(',').transform(a_count());
  app.add_option("--block-sizes", args.block_sizes, "Threads per block, separated by commas")
      .delimiter(',')
      .check(a_block_size());
  app.add_option("--type", args.type, "Type of the elements").transform(a_type());
  app.add_option("--repetitions", args.repetitions, "Timed runs of each").check(repetitions_from(1));
  app.add_option("--json", args.json, "File for the results; - is standard output");
  app.add_option("--commit", args.commit, "Commit that the programs were built from, for the record");
  return host::run_program(app, argc, argv, 3, [&] { return run(args, host::command_text("limits", argc, argv)); });
}
