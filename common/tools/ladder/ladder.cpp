// The whole ladder in one run: chapters 1 to 9 and 12, the reduction in one launch and the libraries over a list of
// sizes, as JSON. What `plots/data` holds was made by it.

#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "device/buffer.hpp"
#include "solutions/references.hpp"
#include "tools/ladder/others.hpp"
#include "workbook/command_line.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/library.hpp"

namespace {

using namespace workbook;

std::string now() {
  const std::time_t t = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&t));
  return text;
}

nlohmann::json provenance(const device_facts& f, const std::string& commit, int argc, char** argv) {
  int driver = 0, toolkit = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&toolkit);
  std::string command = "build/bin/ladder";
  for (int k = 1; k < argc; ++k) command += fmt::format(" {}", argv[k]);
  return {{"gpu", f.name},
          {"driver_cuda", driver},
          {"toolkit", toolkit},
          {"date", now()},
          {"command", command},
          {"commit", commit},
          {"peak_gb_per_s", f.peak_gb_per_s},
          {"read_gb_per_s", f.most.read_gb_per_s},
          {"copy_gb_per_s", f.most.copy_gb_per_s},
          {"launch_us", f.most.launch_us},
          {"l2_bytes", f.l2_bytes},
          {"multiprocessors", f.multiprocessors}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Runs chapters 1 to 9 and 12, the reduction in one launch and the library over sizes, and writes times, errors "
      "and "
      "bounds as JSON"};
  std::string device = "gpu", counts = "2^10,2^16,2^20,2^22,2^26", json, commit = "unknown", type = "int";
  int repetitions = 21;
  unsigned block_size = 128;
  app.add_option("--device", device, "gpu or emulator");
  app.add_option("--counts", counts, "Sizes, separated by commas");
  app.add_option("--type", type, "int, unsigned, longlong, float or double");
  app.add_option("--block-size", block_size, "Threads a block");
  app.add_option("--repetitions", repetitions, "Timed runs, cold and warm; 0: only verify");
  app.add_option("--json", json, "File for the results");
  app.add_option("--commit", commit, "Commit that the programs were built from, for the record");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    const bool gpu = device == "gpu";
    emulator::select_device(gpu ? emulator::device_kind::gpu : emulator::device_kind::emulator);
    const device_facts facts = read_device_facts();
    element_type of = element_type::int32;
    for (const element_type t :
         {element_type::uint32, element_type::int64, element_type::float32, element_type::float64}) {
      if (name_of(t) == type) of = t;
    }
    nlohmann::json j = {{"schema", 1},
                        {"provenance", provenance(facts, commit, argc, argv)},
                        {"type", name_of(of)},
                        {"block_size", block_size}};
    j["results"] = nlohmann::json::array();
    const std::vector<reduction> ladder = {
        chapter1_solution(),    chapter2_solution(), chapter3_solution(), chapter4_solution(), chapter5_solution(),
        chapter6_solution(),    chapter7_solution(), chapter8_solution(), chapter9_solution(), chapter12_solution(),
        one_launch_reduction(), library_reduction(), thrust_reduction()};
    bool good = true;
    std::istringstream list(counts);
    for (std::string word; std::getline(list, word, ',');) {
      const std::size_t n = parse_count(word);
      laboratory lab({of, n, block_size, 1});
      const double bytes =
          with_type(of, [](auto* tag) { return static_cast<double>(sizeof(*tag)); }) * static_cast<double>(n);
      for (const reduction& rung : ladder) {
        const outcome o = lab.run(rung, effort{.observe = !gpu, .repetitions = repetitions});
        good = good && o.passed();
        nlohmann::json row = {
            {"count", n},       {"kernel", o.name}, {"chapter", rung.chapter}, {"verified", o.verified},
            {"error", o.error}, {"bound", o.bound}};
        if (!o.failure.empty()) row["failure"] = o.failure;
        if (o.cold) row["cold_ms"] = {{"median", o.cold->median_ms}, {"min", o.cold->min_ms}, {"max", o.cold->max_ms}};
        if (o.warm) row["warm_ms"] = {{"median", o.warm->median_ms}, {"min", o.warm->min_ms}, {"max", o.warm->max_ms}};
        if (o.cold) row["cold_gb_per_s"] = bytes / o.cold->median_ms / 1e6;
        fmt::print("{:>12} {:<26} {:<6} {:>10.4f} ms {:>8.1f} GB/s {}\n", n, o.name, o.verified ? "right" : "WRONG",
                   o.cold ? o.cold->median_ms : 0.0, o.cold ? bytes / o.cold->median_ms / 1e6 : 0.0, o.failure);
        std::fflush(stdout);
        j["results"].push_back(std::move(row));
      }
    }
    if (!json.empty()) {
      std::ofstream out(json);
      out << j.dump(1) << '\n';
      if (!out) {
        fmt::print(stderr, "--json {}: this file cannot be written.\n", json);
        return 2;
      }
    }
    return good ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 3;
  }
}
