// Races the book's reduction in one launch against the library's over types of elements and accumulators, in one run,
// and reports the types for which the book's is slower. On the emulator, verifies the results instead.

#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/command_line.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "reductions/buffer.hpp"
#include "reductions/tune/pairs.hpp"
#include "reductions/tune/race.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/measure.hpp"

namespace {

using namespace workbook;

/// Up to this size, results are compared with the host's; above it, with the library's.
constexpr std::size_t largest_on_host = std::size_t{1} << 20;

struct arguments {
  emulator::device_kind device = emulator::device_kind::gpu;
  std::vector<std::size_t> counts;
  std::string only, json, commit = "unknown";
  int repetitions = 21;
};

/// One pair of types, with memory for up to `most` elements.
class match {
 public:
  match(const type_pair& p, std::size_t most)
      : pair_(p),
        in_(most * p.element_bytes),
        ours_(p.result_bytes),
        theirs_(p.result_bytes),
        workspace_(p.workspace_bytes),
        library_workspace_(p.library_bytes(most)) {
    check(cudaMemset(workspace_.data(), 0, workspace_.size_bytes()));
  }
  void fill(std::size_t n) { pair_.fill(in_.data(), n); }
  void run_ours(std::size_t n) { pair_.ours(in_.data(), ours_.data(), n, workspace_.data()); }
  void run_library(std::size_t n) {
    pair_.library(in_.data(), theirs_.data(), n, library_workspace_.data(), library_workspace_.size_bytes());
  }
  /// Poisons the results, runs both reductions, and returns true if ours is right.
  [[nodiscard]] bool right(std::size_t n) {
    const std::vector<std::byte> result = bytes_after([&] { run_ours(n); }, ours_);
    if (n <= largest_on_host) return pair_.is_right(result.data(), n);
    const std::vector<std::byte> other = bytes_after([&] { run_library(n); }, theirs_, 0x5a);
    // In the library's result, the index follows after a gap, so only the values at the beginning are compared.
    const std::size_t bytes = pair_.operation == "arg max" ? pair_.element_bytes : pair_.result_bytes;
    return std::memcmp(result.data(), other.data(), bytes) == 0;
  }

 private:
  const type_pair& pair_;
  device_bytes in_, ours_, theirs_, workspace_, library_workspace_;
};

int run(const arguments& args, const std::string& command) {
  emulator::select_device(args.device);
  const bool times = args.device == emulator::device_kind::gpu;
  host::json_file json(args.json);
  const device_facts facts = read_device_facts();
  std::optional<stop_watch> watch;
  if (times) watch.emplace();
  nlohmann::json rows = nlohmann::json::array();
  bool good = true;
  for (const type_pair& p : type_pairs()) {
    const std::string name = fmt::format("{}: {} -> {}", p.operation, p.element, p.result);
    if (name.find(args.only) == std::string::npos) continue;
    match m(p, *std::max_element(args.counts.begin(), args.counts.end()));
    for (const std::size_t n : args.counts) {
      m.fill(n);
      bool fine = m.right(n);
      if (times) {
        std::vector<contender> all = {{"library", {}, [&m, n] { m.run_library(n); }},
                                      {"workbook::reduce", {}, [&m, n] { m.run_ours(n); }}};
        race(all, *watch, args.repetitions);
        fine = fine && m.right(n);  // the result must still be right after the race
        const double cold = median(all[0].cold_us) / median(all[1].cold_us),
                     warm = median(all[0].warm_us) / median(all[1].warm_us);
        fmt::print("{:<44} {:>10} library {:>9.2f} {:>9.2f} us, ours {:>9.2f} {:>9.2f} us: {:.3f} {:.3f}{}\n", name, n,
                   median(all[0].cold_us), median(all[0].warm_us), median(all[1].cold_us), median(all[1].warm_us), cold,
                   warm, cold < 1 || warm < 1 ? "  slower" : "");
        rows.push_back({{"operation", p.operation},
                        {"element", p.element},
                        {"result", p.result},
                        {"element_bytes", p.element_bytes},
                        {"count", n},
                        {"library", times_of(all[0])},
                        {"ours", times_of(all[1])}});
      }
      if (!fine) fmt::print("{} {}: WRONG\n", name, n);
      std::fflush(stdout);
      good = good && fine;
    }
  }
  json.write({{"schema", 1},
              {"provenance", provenance_of_race(facts, command, args.commit, args.repetitions)},
              {"results", rows}});
  if (!times) fmt::print("{}\n", good ? "all right" : "not all right");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  for (int power = 10; power <= 31; ++power) args.counts.push_back(std::size_t{1} << power);
  host::parser app{"Races the reduction in one launch with the library's, over types of elements and accumulators",
                   "race_types"};
  app.add_option("--device", args.device, "gpu: time; emulator: verify").transform(a_device());
  app.add_option("--counts", args.counts, "Sizes, separated by commas (default: 2^10 to 2^31)")
      .delimiter(',')
      .transform(a_count());
  app.add_option("--only", args.only, "Only pairs whose name contains this, such as \"char ->\"");
  app.add_option("--repetitions", args.repetitions, "Timed runs, cold and warm").check(repetitions_from(1));
  app.add_option("--json", args.json, "File for the results");
  app.add_option("--commit", args.commit, "Commit that the programs were built from, for the record");
  return host::run_program(app, argc, argv, 3, [&] { return run(args, host::command_text("race_types", argc, argv)); });
}
