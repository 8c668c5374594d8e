// Compares predicted times with measured ones, prints the errors, and fails if they are larger than documented.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "host/command_line.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "timing/model/accuracy/records.hpp"
#include "timing/model/words.hpp"

using namespace accuracy;

namespace {

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

/// Returns true if one of the model's limits corresponds to one of the causes that the experiments found.
bool agrees(const comparison& c) {
  const std::map<std::string, std::vector<std::string>> words = {{"block starts", {"block starts"}},
                                                                 {"latency", {"latency", "loads", "barriers"}},
                                                                 {"memory", {"memory bandwidth", "loads"}},
                                                                 {"instructions", {"instructions"}},
                                                                 {"L1 cache", {"loads"}},
                                                                 {"shared memory", {"bank conflicts"}},
                                                                 {"launches", {"launches", "latency", "loads"}}};
  return std::any_of(c.limits.begin(), c.limits.end(), [&](const std::string& limit) {
    const std::vector<std::string>& known = words.at(limit);
    return std::any_of(c.causes.begin(), c.causes.end(), [&](const std::string& cause) {
      return std::find(known.begin(), known.end(), cause) != known.end();
    });
  });
}

std::vector<comparison> compared(const material& m, const std::vector<material::run>& runs, const model::constants& k) {
  std::vector<comparison> all;
  for (const material::run& r : runs) {
    const model::prediction p = model::predict(m.machine, r.launches, k);
    all.push_back(r.what);
    all.back().predicted = p.us;
    all.back().limits = p.limits();
  }
  return all;
}

/// Returns the comparisons with different predictions: each launch takes its overhead plus `rest(terms)`.
std::vector<comparison> put_together(const material& m, const std::vector<material::run>& runs, auto rest) {
  std::vector<comparison> all = compared(m, runs, {});
  for (std::size_t k = 0; k < runs.size(); ++k) {
    all[k].predicted = 0;
    for (std::size_t n = 0; n < runs[k].launches.size(); ++n) {
      const model::prediction p = model::predict(m.machine, runs[k].launches[n], n == 0);
      all[k].predicted += p.launch_us + rest(p.terms);
    }
  }
  return all;
}

double largest_of(const std::vector<model::term>& terms) {
  return terms.front().us;
}

double sum_of(const std::vector<model::term>& terms) {
  double sum = 0;
  for (const model::term& t : terms) sum += t.us;
  return sum;
}

/// Returns the largest of the terms for memory, instructions and block starts. Latency and the other terms are ignored.
double roofline_of(const std::vector<model::term>& terms) {
  double most = 0;
  for (const model::term& t : terms)
    if (t.name == "memory" || t.name == "instructions" || t.name == "block starts") most = std::max(most, t.us);
  return most;
}

std::vector<model::constants> choices() {
  std::vector<model::constants> all;
  for (const double per_cycle : {2.0, 2.25, 2.5, 2.75, 3.0})
    for (const double cold : {0.8, 1.0, 1.2, 1.4})
      for (const double last_wave : {0.0, 0.15, 0.3, 0.45})
        all.push_back({.instructions_per_cycle = per_cycle, .cold_us = cold, .last_wave = last_wave});
  return all;
}

/// Returns predictions for each kernel. Their constants are the best ones for all other kernels.
std::vector<comparison> left_out(const material& m, const std::vector<material::run>& runs) {
  const std::vector<model::constants> all_choices = choices();
  std::vector<std::vector<comparison>> tried;
  std::vector<material::run> known = m.ladder;
  known.insert(known.end(), m.types.begin(), m.types.end());
  for (const model::constants& k : all_choices) tried.push_back(compared(m, known, k));
  std::vector<std::string> kernels;
  for (const material::run& r : runs)
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
    std::vector<material::run> own;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(own),
                 [&](const material::run& r) { return r.what.kernel == kernel; });
    const std::vector<comparison> some = compared(m, own, all_choices[static_cast<std::size_t>(best - tried.begin())]);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// Prints a line for each group of comparisons, in the order in which the groups first appear.
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

/// Checks one limit. Returns true if it holds, or else prints what is wrong.
bool holds(const char* what, double is, double at_most_or_least, bool at_most) {
  const bool good = at_most ? is <= at_most_or_least : is >= at_most_or_least;
  if (!good)
    fmt::print("FAILED: {} is {:.3f}, and should be {} {:.3f}\n", what, is, at_most ? "at most" : "at least",
               at_most_or_least);
  return good;
}

void print_reasons(const char* whose, const std::vector<std::string>& marked) {
  std::map<std::string, std::size_t> reasons;
  for (const std::string& reason : marked) ++reasons[reason];
  fmt::print("No time is given for {} of {}:\n", marked.size(), whose);
  for (const auto& [reason, times] : reasons) fmt::print("  {:>2} {}\n", times, reason);
}

int report(const material& m, bool lists) {
  const std::vector<comparison> ladder = compared(m, m.ladder, {}), others = left_out(m, m.ladder),
                                types = left_out(m, m.types), studies = compared(m, m.studies, {}),
                                foreign = compared(m, m.foreign, {});
  fmt::print("{:<40} {:>4} {:>7} {:>8} {:>6} {:>5} {:>6}\n{:<40} {:>4} {:>7} {:>8} {:>6} {:>5} {:>6}\n", "", "", "mean",
             "9 of 10", "geom.", "rank", "pairs", "", "rows", "error", "below", "mean", "corr.", "right");
  const figures chosen = figures_of(ladder), unseen = figures_of(others), strange = figures_of(foreign);
  fmt::print("{}", text_of("the ladder, constants chosen by it", ladder.size(), chosen));
  fmt::print("{}", text_of("the ladder, each kernel unseen", others.size(), unseen));
  // Prints the errors of the alternatives that were not chosen, for the same rows.
  const auto print_instead = [&](const char* name, auto rest) {
    fmt::print("{}", text_of(name, ladder.size(), figures_of(put_together(m, m.ladder, rest))));
  };
  print_instead("  a roofline with block starts, launches", roofline_of);
  print_instead("  the largest term alone", largest_of);
  print_instead("  the sum of the terms", sum_of);
  print_by(others, [](const comparison& c) { return c.kernel; });
  print_by(others, [](const comparison& c) { return fmt::format("blocks of {}", c.block_size); });
  const figures wider = figures_of(types);
  fmt::print("{}", text_of("other types and libraries, to 2^31", types.size(), wider));
  print_by(types, [](const comparison& c) { return c.type; });
  print_by(types, [](const comparison& c) { return fmt::format("blocks of {}", c.block_size); });
  print_by(types, [](const comparison& c) { return c.kernel; });
  const figures studied = figures_of(studies);
  std::vector<comparison> own = others;
  own.insert(own.end(), types.begin(), types.end());
  own.insert(own.end(), studies.begin(), studies.end());
  const figures of_book = figures_of(own);
  fmt::print("{}", text_of("what other chapters set side by side", studies.size(), studied));
  print_by(studies, [](const comparison& c) { return c.group; });
  print_by(studies, [](const comparison& c) { return c.type; });
  fmt::print("{}", text_of("all of these kernels of the book", own.size(), of_book));
  fmt::print("{}", text_of("kernels that are not reductions", foreign.size(), strange));
  print_by(foreign, [](const comparison& c) { return c.group; });
  if (lists) {
    const std::vector<model::constants> all = choices();
    const auto best = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return figures_of(compared(m, m.ladder, a)).mean < figures_of(compared(m, m.ladder, b)).mean;
    });
    fmt::print("Best for all: {} instructions per cycle, cold {}, last wave {}\n", best->instructions_per_cycle,
               best->cold_us, best->last_wave);
  }
  const auto known = std::count_if(ladder.begin(), ladder.end(), [](const comparison& c) { return !c.causes.empty(); });
  const auto agreed =
      std::count_if(ladder.begin(), ladder.end(), [](const comparison& c) { return !c.causes.empty() && agrees(c); });
  const double limits = static_cast<double>(agreed) / static_cast<double>(known);
  fmt::print("The limit that experiments name, of {} rows: {:.1f}%\n", known, 100 * limits);
  print_reasons("these chapters' rows", m.marked_studies);
  print_reasons("the kernels that are no reductions", m.marked);
  if (lists)
    for (const auto* all : {&ladder, &types, &studies, &foreign})
      for (const comparison& c : *all)
        fmt::print("{:<40.40} {:<6} {:>10} {:>5} {:>10.2f} {:>10.2f} {:>5.2f} {}\n", c.kernel, c.type, c.count,
                   c.block_size, c.measured, c.predicted, c.predicted / c.measured, fmt::join(c.limits, ", "));
  bool good = holds("the ladder's mean error in percent", 100 * unseen.mean, 10, true);
  good &= holds("nine of ten in percent", 100 * unseen.ninth_decile, 20, true);
  good &= holds("the ladder's rank correlation", unseen.rank, 0.98, false);
  good &= holds("pairs in the right order", unseen.pairs, 0.9, false);
  good &= holds("the mean error of other types and libraries in percent", 100 * wider.mean, 10, true);
  good &= holds("nine of ten of them in percent", 100 * wider.ninth_decile, 20, true);
  good &= holds("their rank correlation", wider.rank, 0.98, false);
  good &= holds("pairs of them in the right order", wider.pairs, 0.9, false);
  good &= holds("the mean error of all kernels of the book in percent", 100 * of_book.mean, 10, true);
  good &= holds("nine of ten of all of them in percent", 100 * of_book.ninth_decile, 20, true);
  good &= holds("the rank correlation of all of them", of_book.rank, 0.98, false);
  good &= holds("pairs of all of them in the right order", of_book.pairs, 0.9, false);
  good &= holds("the other kernels' mean error in percent", 100 * strange.mean, 25, true);
  good &= holds("their geometric mean", strange.geometric, 1.25, true);
  good &= holds("their rank correlation", strange.rank, 0.9, false);
  good &= holds("how many they are", static_cast<double>(foreign.size()), 24, false);
  good &= holds("the limit that is named", limits, 0.9, false);
  // Checks the errors that programs state about the model.
  good &= holds("the error that programs state", model::mean_error_percent, std::round(100 * of_book.mean), false);
  good &= holds("the ninth decile that programs state", model::ninth_decile_percent,
                std::round(100 * of_book.ninth_decile), false);
  for (const model::chapter_error& stated : model::errors_of_chapters) {
    std::vector<comparison> of_chapter;
    const std::string group = fmt::format("chapter {}", stated.chapter);
    for (const comparison& c : studies)
      if (c.group == group) of_chapter.push_back(c);
    const figures found = figures_of(of_chapter);
    // The stated figure must be the error itself, because an upper bound could be far too high.
    const std::string mean = "the error that the program states of " + group, ninth = "the ninth decile, " + mean;
    good &= holds(mean.c_str(), std::abs(stated.mean_percent - std::round(100 * found.mean)), 0, true);
    good &= holds(ninth.c_str(), std::abs(stated.ninth_decile_percent - std::ceil(100 * found.ninth_decile)), 0, true);
  }
  return good ? 0 : 1;
}

/// Returns the machine's facts that the model uses, and the model's constants, for predictions in other programs.
nlohmann::json facts_json(const model::machine& m) {
  nlohmann::json starts = nlohmann::json::array();
  for (const model::block_starts& s : m.starts) starts.push_back({{"threads", s.threads}, {"ns", s.ns_per_block}});
  const model::constants k;
  return {{"name", m.name},
          {"multiprocessors", m.multiprocessors},
          {"clock_ghz", m.clock_ghz},
          {"first_launch_us", m.first_launch_us},
          {"further_launch_us", m.further_launch_us},
          {"memory_ns", m.memory_ns},
          {"l2_ns", m.l2_ns},
          {"memory_gb_per_s", m.memory_gb_per_s},
          {"division_cycles", m.division_cycles},
          {"block_turnover_ns", m.block_turnover_ns},
          {"starts", starts},
          {"instructions_per_cycle", k.instructions_per_cycle},
          {"cold_us", k.cold_us},
          {"last_wave", k.last_wave},
          {"nearly", model::nearly}};
}

/// Returns all comparisons, each with the time of every term and with the name of its set.
nlohmann::json as_json(const material& m) {
  nlohmann::json all = {{"facts", facts_json(m.machine)}, {"predictions", nlohmann::json::array()}};
  const auto add = [&](const char* set, const std::vector<material::run>& runs) {
    for (const material::run& r : runs) {
      nlohmann::json row = model::to_json(m.machine, model::predict(m.machine, r.launches));
      row.erase("gpu");
      row.update({{"set", set}, {"kernel", r.what.kernel}, {"count", r.what.count}});
      row.update({{"block_size", r.what.block_size}, {"measured_us", r.what.measured}});
      all["predictions"].push_back(std::move(row));
    }
  };
  add("ladder", m.ladder);
  add("types", m.types);
  add("studies", m.studies);
  add("other kernels", m.foreign);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  files from = {TIMES "/machine_h200.json",    TIMES "/ablations_h200.json", TIMES "/studies_h200.json",
                TIMES "/foreign_h200_20.json", COUNTS "/model_counts.json",  {}};
  for (const char* type : {"int", "float", "double"})
    for (const char* blocks : {"128", "32", "64", "256", "512", "1024"})
      from.ladders.push_back(fmt::format("{}/ladder_h200_{}_block{}.json", TIMES, type, blocks));
  std::string json_path;
  bool lists = false;
  host::parser app{"Compares predicted times with measured ones; status 1 if they differ by more than they should",
                   "model_accuracy"};
  app.add_option("--machine", from.machine, "Facts of the machine that measured");
  app.add_option("--ablations", from.ablations, "Measured times of the ladder's kernels, with the limits found");
  app.add_option("--ladders", from.ladders, "Measured times of the ladder and libraries, by type and block size");
  app.add_option("--studies", from.studies, "Measured times of chapters that set kernels side by side");
  app.add_option("--foreign", from.foreign, "Measured times of kernels that are no reductions");
  app.add_option("--counts", from.counts, "Counts of all kernels, made by model_counts");
  app.add_flag("--list", lists, "Print every comparison");
  app.add_option("--json", json_path, "Write every comparison to this file without judging it; - is standard output");
  return host::run_program(app, argc, argv, 1, [&] {
    host::json_file out(json_path);
    const material m = collect(from);
    if (json_path.empty()) return report(m, lists);
    out.write(as_json(m));
    return 0;
  });
}
