// Races the book's reductions of rows, columns, segments and runs of keys against the libraries' over many shapes, in
// one run, and reports the shapes for which the book's are slower. On the emulator, verifies the results instead.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/command_line.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "reductions/buffer.hpp"
#include "reductions/tune/arena.hpp"
#include "reductions/tune/cublas.hpp"
#include "reductions/tune/race.hpp"
#include "reductions/tune/shapes.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/measure.hpp"

namespace {

using namespace workbook;

struct arguments {
  emulator::device_kind device = emulator::device_kind::gpu;
  std::vector<std::string> types = {"int", "float"};
  std::size_t most = std::size_t{1} << 28;
  std::string only, json, commit = "unknown";
  int repetitions = 15;
  std::size_t drawn = 0;
  std::uint64_t seed = 1;
  bool libraries = false;
};

/// A reduction that takes longer than this is timed only three times.
constexpr double slow_us = 5000;

/// Times the contenders that can be queued. The book's is the first one.
std::vector<contender> race_queued(const std::vector<shape_contender>& contenders, stop_watch& watch, int repetitions) {
  std::vector<contender> quick, slow;
  for (const shape_contender& c : contenders) {
    if (c.waits) continue;
    const bool is_slow = watch.take(c.run, start::warm).microseconds > slow_us;
    (is_slow ? slow : quick).push_back({c.name, {}, c.run});
  }
  race(quick, watch, repetitions);
  race(slow, watch, std::min(repetitions, 3));
  std::vector<contender> all;
  for (const shape_contender& c : contenders)
    for (const auto* of : {&quick, &slow})
      for (const contender& timed : *of)
        if (timed.name == c.name) all.push_back(timed);
  return all;
}

/// Times the contenders that wait for the GPU themselves. The book's is the first one.
std::vector<contender> race_waiting(const std::vector<shape_contender>& contenders, stop_watch& watch,
                                    int repetitions) {
  std::vector<contender> all;
  for (const shape_contender& c : contenders)
    if (c.waits) all.push_back({c.name, {}, c.run});
  race(all, watch, repetitions, &stop_watch::take_waiting);
  return all;
}

/// The shortest time of the libraries divided by the book's time, cold and warm; infinity if there is no library.
struct lead {
  double cold = std::numeric_limits<double>::infinity(), warm = std::numeric_limits<double>::infinity();
};

lead lead_in(const std::vector<contender>& all) {
  lead l;
  for (std::size_t i = 1; i < all.size(); ++i) {
    l.cold = std::min(l.cold, median(all[i].cold_us) / median(all[0].cold_us));
    l.warm = std::min(l.warm, median(all[i].warm_us) / median(all[0].warm_us));
  }
  return l;
}

/// Returns the shapes to race: every shape of the fixed list with every type, or random shapes.
std::vector<drawn_shape> shapes_to_race(const arguments& args) {
  if (args.drawn > 0) return drawn_shapes(args.drawn, args.seed, args.most);
  std::vector<drawn_shape> all;
  for (const raced_shape& shape : raced_shapes())
    for (const std::string& type : args.types)
      if (shape.elements() <= args.most) all.push_back({shape, type});
  return all;
}

/// The outcome of a race: the least factor by which ours is faster than the best library, and the line to print.
struct outcome {
  double least;
  std::string line;
};

void print_worst(std::vector<outcome> all) {
  constexpr std::size_t most = 10;
  std::sort(all.begin(), all.end(), [](const outcome& a, const outcome& b) { return a.least < b.least; });
  all.resize(std::min(all.size(), most));
  fmt::print("The worst {}:\n", all.size());
  for (const outcome& o : all) fmt::print("{:.3f} {}\n", o.least, o.line);
}

int run(const arguments& args, const std::string& command) {
  emulator::select_device(args.device);
  const bool times = args.device == emulator::device_kind::gpu;
  host::json_file json(args.json);
  const device_facts facts = read_device_facts();
  std::optional<stop_watch> watch;
  std::shared_ptr<cublas> blas;
  if (times) {
    watch.emplace();
    blas = cublas::load();
    if (blas == nullptr) fmt::print("no cuBLAS here: it does not race\n");
  }
  nlohmann::json rows = nlohmann::json::array();
  bool good = true;
  std::size_t raced = 0, behind = 0;
  std::vector<double> short_segments;
  std::vector<outcome> outcomes;
  for (const auto& [shape, type] : shapes_to_race(args)) {
    const std::string special = specialities(shape);
    const std::string name =
        fmt::format("{}: {} x {}, {}{}", name_of(shape.kind), shape.count, shape.length, type, special);
    if (name.find(args.only) == std::string::npos) continue;
    const std::unique_ptr<arena> a = arena_of(shape, type, blas, times || args.libraries);
    // A method that refuses the shape does not race, but ours must not refuse.
    std::vector<shape_contender> racing;
    for (const shape_contender& c : a->contenders()) {
      try {
        const bool right = a->is_right(c);
        if (!right) fmt::print("{}: {}: WRONG\n", name, c.name);
        good = good && right;
        racing.push_back(c);
      } catch (const std::exception& e) {
        if (racing.empty()) throw;
        fmt::print("{}: {} does not race: {}\n", name, c.name, e.what());
      }
    }
    if (!times) continue;
    const std::vector<contender> queued = race_queued(racing, *watch, args.repetitions);
    const std::vector<contender> waiting = race_waiting(racing, *watch, args.repetitions);
    if (!a->is_right(racing[0])) {  // the result must still be right after the race
      fmt::print("{}: WRONG after the race\n", name);
      good = false;
    }
    const lead in_queue = lead_in(queued), in_waiting = lead_in(waiting);
    const double least = std::min({in_queue.cold, in_queue.warm, in_waiting.cold, in_waiting.warm});
    ++raced;
    behind += least < 1 ? 1 : 0;
    if (shape.length < 64 && (shape.kind == pieces_kind::segments || shape.kind == pieces_kind::uneven_segments)) {
      short_segments.push_back(in_queue.cold);
      short_segments.push_back(in_queue.warm);
    }
    nlohmann::json libraries = nlohmann::json::array(), libraries_waiting = nlohmann::json::array();
    std::string line =
        fmt::format("{:<44} {:>9.2f} {:>9.2f} us", name, median(queued[0].cold_us), median(queued[0].warm_us));
    for (std::size_t i = 1; i < queued.size(); ++i) {
      libraries.push_back(as_json(queued[i]));
      line += fmt::format("; {} {:.2f} {:.2f}", queued[i].name, median(queued[i].cold_us), median(queued[i].warm_us));
    }
    line += fmt::format(": {:.3f} {:.3f}", in_queue.cold, in_queue.warm);
    for (std::size_t i = 1; i < waiting.size(); ++i) libraries_waiting.push_back(as_json(waiting[i]));
    if (waiting.size() > 1) line += fmt::format("; waiting {:.3f} {:.3f}", in_waiting.cold, in_waiting.warm);
    fmt::print("{}{}\n", line, least < 1 ? "  behind" : "");
    outcomes.push_back({least, line});
    nlohmann::json row = {{"kind", name_of(shape.kind)}, {"length", shape.length},
                          {"count", shape.count},        {"element", type},
                          {"ours", as_json(queued[0])},  {"libraries", libraries}};
    if (!special.empty()) row["special"] = special;
    if (!waiting.empty()) {
      row["ours_waiting"] = as_json(waiting[0]);
      row["libraries_waiting"] = libraries_waiting;
    }
    rows.push_back(row);
    std::fflush(stdout);
  }
  json.write({{"schema", 1},
              {"provenance", provenance_of_race(facts, command, args.commit, args.repetitions)},
              {"results", rows}});
  if (times) print_worst(std::move(outcomes));
  if (times)
    fmt::print("{} of {} slower; segments shorter than 64: {:.2f} times the best library's speed in the median\n",
               behind, raced, median(short_segments));
  fmt::print("{}\n", good ? "all right" : "not all right");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  host::parser app{"Races the reductions of rows, columns, segments and runs of keys with the libraries', over shapes",
                   "race_shapes"};
  app.add_option("--device", args.device, "gpu: time; emulator: verify").transform(a_device());
  app.add_option("--types", args.types, "int, float").delimiter(',').check(host::one_of_words({"int", "float"}));
  app.add_option("--most", args.most, "Only shapes with at most this many elements").transform(a_count());
  app.add_option("--only", args.only, "Only shapes whose name contains this, such as \"rows: 16 x\"");
  app.add_option("--drawn", args.drawn, "Race this many random shapes instead of the grid").transform(a_count());
  app.add_option("--seed", args.seed, "Seed of --drawn: the same seed draws the same shapes");
  app.add_option("--repetitions", args.repetitions, "Timed runs, cold and warm").check(repetitions_from(1));
  app.add_flag("--libraries", args.libraries, "On the emulator, also verify the results of CUB and Thrust");
  app.add_option("--json", args.json, "File for the results");
  app.add_option("--commit", args.commit, "Commit that the programs were built from, for the record");
  return host::run_program(app, argc, argv, 3,
                           [&] { return run(args, host::command_text("race_shapes", argc, argv)); });
}
