// Sets predicted times beside measured ones, prints how far they are off, and fails where that is more than the page
// says.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "host/command_line.hpp"
#include "host/json_file.hpp"
#include "host/program.hpp"
#include "model/words.hpp"

namespace {

using nlohmann::json;

json read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw host::usage_error(path + " cannot be read");
  return json::parse(file);
}

/// Counts of a kernel at one block size, by number of elements.
using by_size = std::map<double, std::vector<model::counts>>;

/// The launches of a reduction at a size that was not counted.
std::vector<model::counts> launches_at(const by_size& known, double n) {
  if (const auto exact = known.find(n); exact != known.end()) return exact->second;
  std::vector<model::counts> launches;
  const auto above = known.lower_bound(n);
  if (above == known.end()) {
    const auto& [large_n, large] = *known.rbegin();
    const auto& [small_n, small] = *std::next(known.rbegin());
    launches = {model::extrapolated(small.front(), small_n, large.front(), large_n, n)};
  } else {
    const model::counts& c = above->second.front();
    launches = {model::with_blocks(c, std::max(1.0, std::ceil(c.blocks * n / above->first)))};
  }
  // What the first launch leaves is the next one's input, unless one launch does all.
  if (known.begin()->second.size() > 1 && launches[0].blocks > 1)
    for (const model::counts& c : launches_at(known, launches[0].blocks)) launches.push_back(c);
  return launches;
}

struct comparison {
  std::string kernel, group;
  double count = 0, block_size = 0, measured = 0, predicted = 0;
  std::string limit;
  std::vector<std::string> causes;  ///< By experiment; empty where not known.
  [[nodiscard]] double error() const { return std::fabs(predicted / measured - 1); }
};

struct figures {
  double mean = 0, ninth_decile = 0, geometric = 0, rank = 0, pairs = 0;
};

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = static_cast<double>(k);
  return rank;
}

figures figures_of(const std::vector<comparison>& all) {
  figures f;
  const auto n = static_cast<double>(all.size());
  std::vector<double> errors, measured, predicted;
  for (const comparison& c : all) {
    errors.push_back(c.error());
    measured.push_back(c.measured);
    predicted.push_back(c.predicted);
    f.mean += c.error() / n;
    f.geometric += std::fabs(std::log(c.predicted / c.measured)) / n;
  }
  f.geometric = std::exp(f.geometric);
  std::sort(errors.begin(), errors.end());
  f.ninth_decile = errors[static_cast<std::size_t>(0.9 * n)];
  const std::vector<double> a = ranks(measured), b = ranks(predicted);
  double squares = 0;
  for (std::size_t k = 0; k < a.size(); ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
  f.rank = 1 - 6 * squares / (n * (n * n - 1));
  double apart = 0, ordered = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      const double ratio = measured[k] / measured[j];
      if (ratio < 1.1 && ratio > 1 / 1.1) continue;
      ++apart;
      ordered += (ratio > 1) == (predicted[k] > predicted[j]) ? 1 : 0;
    }
  }
  f.pairs = ordered / std::max(1.0, apart);
  return f;
}

std::string text_of(const std::string& name, std::size_t rows, const figures& f) {
  return fmt::format("{:<40} {:>4} {:>6.1f}% {:>7.1f}% {:>6.2f} {:>5.3f} {:>5.1f}%\n", name, rows, 100 * f.mean,
                     100 * f.ninth_decile, f.geometric, f.rank, 100 * f.pairs);
}

/// The experiment's word for a term.
bool agrees(const comparison& c) {
  const std::map<std::string, std::vector<std::string>> words = {
      {"block starts", {"block starts"}},        {"latency", {"latency", "loads", "barriers"}},
      {"memory", {"memory bandwidth", "loads"}}, {"instructions", {"instructions"}},
      {"shared memory", {"bank conflicts"}},     {"launches", {"launches", "latency", "loads"}}};
  const std::vector<std::string>& known = words.at(c.limit);
  return std::any_of(c.causes.begin(), c.causes.end(), [&](const std::string& cause) {
    return std::find(known.begin(), known.end(), cause) != known.end();
  });
}

/// What the model is judged by.
struct material {
  model::machine machine;
  struct run {
    comparison what;
    std::vector<model::counts> launches;
  };
  std::vector<run> ladder, foreign;
  std::vector<std::string> marked;  ///< Why the model gives no time, by kernel.
};

material collect(const std::string& machine, const json& ladder, const json& foreign, const json& counts) {
  material m;
  m.machine = model::read_machine(machine);
  std::map<std::pair<std::string, double>, by_size> of_ladder;
  std::map<std::pair<std::string, std::string>, std::vector<model::counts>> of_foreign;
  for (const json& row : counts.at("rows")) {
    const auto launches = row.at("launches").get<std::vector<model::counts>>();
    const std::string kernel = row.at("kernel");
    if (row.contains("group"))
      of_foreign[{row.at("group"), kernel}] = launches;
    else
      of_ladder[{kernel, row.at("block_size").get<double>()}][row.at("count").get<double>()] = launches;
  }
  for (const json& row : ladder.at("rows")) {
    const auto known = of_ladder.find({row.at("kernel").get<std::string>(), row.at("block_size").get<double>()});
    if (known == of_ladder.end()) continue;
    material::run r{{.kernel = row.at("kernel"),
                     .group = {},
                     .count = row.at("count"),
                     .block_size = row.at("block_size"),
                     .measured = row.at("us").at("whole"),
                     .limit = {},
                     .causes = row.at("limit").at("causes")},
                    launches_at(known->second, row.at("count").get<double>())};
    m.ladder.push_back(std::move(r));
  }
  for (const json& row : foreign.at("results")) {
    const auto known = of_foreign.find({row.at("group").get<std::string>(), row.at("kernel").get<std::string>()});
    if (known == of_foreign.end()) throw std::runtime_error("no counts of " + row.at("kernel").get<std::string>());
    const std::string unknown = model::predict(m.machine, known->second).unknown;
    if (!unknown.empty()) {
      m.marked.push_back(unknown);
      continue;
    }
    m.foreign.push_back({{.kernel = known->first.second,
                          .group = known->first.first,
                          .count = row.at("count"),
                          .block_size = row.at("block_size"),
                          .measured = row.at("cold_us"),
                          .limit = {},
                          .causes = {}},
                         known->second});
  }
  return m;
}

std::vector<comparison> compared(const material& m, const std::vector<material::run>& runs, const model::constants& k) {
  std::vector<comparison> all;
  for (const material::run& r : runs) {
    const model::prediction p = model::predict(m.machine, r.launches, k);
    all.push_back(r.what);
    all.back().predicted = p.us;
    all.back().limit = p.limit();
  }
  return all;
}

/// The launches, and the largest of memory, instructions and block starts: without latency and shared memory.
std::vector<comparison> roofline(const material& m, const std::vector<material::run>& runs) {
  std::vector<comparison> all = compared(m, runs, {});
  for (std::size_t k = 0; k < runs.size(); ++k) {
    all[k].predicted = 0;
    for (std::size_t n = 0; n < runs[k].launches.size(); ++n) {
      const model::prediction p = model::predict(m.machine, runs[k].launches[n], n == 0);
      double most = 0;
      for (const model::term& t : p.terms)
        if (t.name == "memory" || t.name == "instructions" || t.name == "block starts") most = std::max(most, t.us);
      all[k].predicted += p.launch_us + most;
    }
  }
  return all;
}

std::vector<model::constants> choices() {
  std::vector<model::constants> all;
  for (const double per_cycle : {2.0, 2.25, 2.5, 2.75, 3.0})
    for (const double division : {0.0, 3.0, 6.75})
      for (const double cold : {0.4, 0.6, 0.8, 1.0})
        for (const double norm : {3.0, 4.0, 6.0})
          all.push_back(
              {.instructions_per_cycle = per_cycle, .division_cycles = division, .cold_us = cold, .norm = norm});
  return all;
}

/// Each kernel predicted with the constants that are best for the others.
std::vector<comparison> left_out(const material& m) {
  std::vector<std::vector<comparison>> tried;
  for (const model::constants& k : choices()) tried.push_back(compared(m, m.ladder, k));
  std::vector<std::string> kernels;
  for (const material::run& r : m.ladder)
    if (std::find(kernels.begin(), kernels.end(), r.what.kernel) == kernels.end()) kernels.push_back(r.what.kernel);
  std::vector<comparison> all;
  for (const std::string& kernel : kernels) {
    const auto error_of_others = [&](const std::vector<comparison>& one) {
      double sum = 0;
      for (const comparison& c : one) sum += c.kernel == kernel ? 0 : c.error();
      return sum;
    };
    const auto best = std::min_element(tried.begin(), tried.end(), [&](const auto& a, const auto& b) {
      return error_of_others(a) < error_of_others(b);
    });
    std::copy_if(best->begin(), best->end(), std::back_inserter(all),
                 [&](const comparison& c) { return c.kernel == kernel; });
  }
  return all;
}

/// A line for each group of comparisons, in the order in which they come.
void print_by(const std::vector<comparison>& all, auto name_of) {
  std::vector<std::pair<std::string, std::vector<comparison>>> groups;
  for (const comparison& c : all) {
    const std::string name = name_of(c);
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == name; });
    if (at == groups.end()) at = groups.insert(groups.end(), {name, {}});
    at->second.push_back(c);
  }
  for (const auto& [name, some] : groups) {
    const figures f = figures_of(some);
    fmt::print("  {:<38} {:>4} {:>6.1f}% {:>7.1f}% {:>6.2f}\n", name, some.size(), 100 * f.mean, 100 * f.ninth_decile,
               f.geometric);
  }
}

/// One thing that is held to.
bool holds(const char* what, double is, double at_most_or_least, bool at_most) {
  const bool good = at_most ? is <= at_most_or_least : is >= at_most_or_least;
  if (!good)
    fmt::print("FAILED: {} is {:.3f}, and should be {} {:.3f}\n", what, is, at_most ? "at most" : "at least",
               at_most_or_least);
  return good;
}

int report(const material& m, bool lists) {
  const std::vector<comparison> ladder = compared(m, m.ladder, {}), others = left_out(m),
                                foreign = compared(m, m.foreign, {});
  fmt::print("{:<40} {:>4} {:>7} {:>8} {:>6} {:>5} {:>6}\n{:<40} {:>4} {:>7} {:>8} {:>6} {:>5} {:>6}\n", "", "", "mean",
             "9 of 10", "geom.", "rank", "pairs", "", "rows", "error", "below", "mean", "corr.", "right");
  const figures chosen = figures_of(ladder), unseen = figures_of(others), strange = figures_of(foreign);
  fmt::print("{}", text_of("the ladder, constants chosen by it", ladder.size(), chosen));
  fmt::print("{}", text_of("the ladder, each kernel unseen", others.size(), unseen));
  // What was not chosen, on the same rows.
  const model::constants largest{.norm = 64}, sum{.norm = 1};
  const std::vector<comparison> roof = roofline(m, m.ladder);
  fmt::print("{}", text_of("  a roofline with block starts, launches", roof.size(), figures_of(roof)));
  fmt::print("{}", text_of("  the largest term alone", ladder.size(), figures_of(compared(m, m.ladder, largest))));
  fmt::print("{}", text_of("  the sum of the terms", ladder.size(), figures_of(compared(m, m.ladder, sum))));
  print_by(others, [](const comparison& c) { return c.kernel; });
  print_by(others, [](const comparison& c) { return fmt::format("blocks of {}", c.block_size); });
  fmt::print("{}", text_of("kernels that are no reductions", foreign.size(), strange));
  print_by(foreign, [](const comparison& c) { return c.group; });
  if (lists) {
    const std::vector<model::constants> all = choices();
    const auto best = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return figures_of(compared(m, m.ladder, a)).mean < figures_of(compared(m, m.ladder, b)).mean;
    });
    fmt::print("Best for all: {} instructions per cycle, {} for a division, cold {}, norm {}\n",
               best->instructions_per_cycle, best->division_cycles, best->cold_us, best->norm);
  }
  const auto known = std::count_if(ladder.begin(), ladder.end(), [](const comparison& c) { return !c.causes.empty(); });
  const auto agreed =
      std::count_if(ladder.begin(), ladder.end(), [](const comparison& c) { return !c.causes.empty() && agrees(c); });
  const double limits = static_cast<double>(agreed) / static_cast<double>(known);
  fmt::print("The limit that experiments name, of {} rows: {:.1f}%\n", known, 100 * limits);
  std::map<std::string, std::size_t> reasons;
  for (const std::string& reason : m.marked) ++reasons[reason];
  fmt::print("No time is given for {} of the other kernels:\n", m.marked.size());
  for (const auto& [reason, times] : reasons) fmt::print("  {:>2} {}\n", times, reason);
  if (lists)
    for (const auto* all : {&ladder, &foreign})
      for (const comparison& c : *all)
        fmt::print("{:<40.40} {:>10} {:>5} {:>10.2f} {:>10.2f} {:>5.2f} {}\n", c.kernel, c.count, c.block_size,
                   c.measured, c.predicted, c.predicted / c.measured, c.limit);
  bool good = holds("the ladder's mean error in percent", 100 * unseen.mean, 10, true);
  good &= holds("nine of ten in percent", 100 * unseen.ninth_decile, 20, true);
  good &= holds("the ladder's rank correlation", unseen.rank, 0.98, false);
  good &= holds("pairs in the right order", unseen.pairs, 0.9, false);
  good &= holds("the other kernels' mean error in percent", 100 * strange.mean, 25, true);
  good &= holds("their geometric mean", strange.geometric, 1.25, true);
  good &= holds("their rank correlation", strange.rank, 0.9, false);
  good &= holds("how many they are", static_cast<double>(foreign.size()), 24, false);
  good &= holds("the limit that is named", limits, 0.85, false);
  // What programs print of the model.
  good &= holds("the error that programs state", model::mean_error_percent, std::round(100 * unseen.mean), false);
  good &= holds("the ninth decile that programs state", model::ninth_decile_percent,
                std::round(100 * unseen.ninth_decile), false);
  return good ? 0 : 1;
}

/// Every comparison, with what each term would take alone.
json as_json(const material& m) {
  json all = {{"machine", m.machine.name}, {"predictions", json::array()}};
  for (const auto* runs : {&m.ladder, &m.foreign}) {
    for (const material::run& r : *runs) {
      json row = model::to_json(m.machine, model::predict(m.machine, r.launches));
      row.erase("gpu");
      row.update({{"kernel", r.what.kernel}, {"group", r.what.group}, {"count", r.what.count}});
      row.update({{"block_size", r.what.block_size}, {"measured_us", r.what.measured}});
      all["predictions"].push_back(std::move(row));
    }
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  std::string machine = TIMES "/machine_h200.json", ladder = TIMES "/ablations_h200.json",
              foreign = TIMES "/foreign_h200_20.json", counts = COUNTS "/model_counts.json";
  std::string json_path;
  bool lists = false;
  CLI::App app{"Sets predicted times beside measured ones; status 1: they are further apart than they should be",
               "model_accuracy"};
  app.add_option("--machine", machine, "Facts of the machine that measured");
  app.add_option("--ladder", ladder, "Measured times of the ladder's kernels");
  app.add_option("--foreign", foreign, "Measured times of kernels that are no reductions");
  app.add_option("--counts", counts, "Counts of both, as model_counts makes them");
  app.add_flag("--list", lists, "Print every comparison");
  app.add_option("--json", json_path, "Write every comparison to this file, and judge nothing; - is standard output");
  return host::run_program(app, argc, argv, 1, [&] {
    host::json_file out(json_path);
    const material m = collect(machine, read(ladder), read(foreign), read(counts));
    if (json_path.empty()) return report(m, lists);
    out.write(as_json(m));
    return 0;
  });
}
