// superopt: searches for a cheaper program that computes the same result on a warp, and proves that the two are
// equivalent.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "host/command_line.hpp"
#include "host/count.hpp"
#include "host/files.hpp"
#include "host/output_file.hpp"
#include "host/process.hpp"
#include "host/program.hpp"
#include "host/terminal.hpp"
#include "machine_code/superopt/exhaustive.hpp"
#include "machine_code/superopt/print.hpp"
#include "machine_code/superopt/search.hpp"

namespace {

using namespace superopt;

struct arguments {
  std::string target = "sum16", cost = "turing", json, svg, cuda, name;
  std::vector<std::string> opcodes;
  search_settings search{.threads = 0};  ///< 0 for one per core.
  unsigned length = 0, exhaustive = 0, below = 0;
  double proof_seconds = 20;
  bool as_is = false, quiet = false;
};

/// The stream for messages: standard output, or standard error if standard output receives a file.
FILE* spoken = stdout;
template <typename... Arguments>
void say(fmt::format_string<Arguments...> words, Arguments&&... arguments) {
  fmt::print(spoken, words, std::forward<Arguments>(arguments)...);
}

/// Reads a word of --budget: converts "16M" into "16000000", or returns an error message.
std::string read_budget(std::string& word) {
  const std::optional<std::uint64_t> value = host::parse_count(word);
  if (!value) return fmt::format("'{}' isn't a number of proposals; 200000, 500k, 16M and 2^24 are", word);
  if (*value == 0) return "a budget of 0 proposals leaves nothing to try; give 1 or more";
  word = std::to_string(*value);
  return {};
}

/// Reads a word of --name: returns an error message if it is not a valid name in C++.
std::string complaint_about_name(std::string& word) {
  const bool good =
      !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
      std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return good ? std::string() : fmt::format("'{}' isn't a name of a function; use letters, digits and _", word);
}

void choose_opcodes(vocabulary& v, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::vector<std::string_view> known;
  for (const opcode_facts& facts : all_opcode_facts) known.push_back(facts.name);
  v.opcodes.clear();
  for (const std::string& name : names) {
    if (name == "all") {
      for (unsigned k = 0; k < opcode_count; ++k) add_opcode(v, static_cast<opcode>(k));
      continue;
    }
    const std::optional<opcode> op = opcode_named(name);
    if (!op)
      throw bad_input(
          fmt::format("--opcodes: unknown opcode '{}'; there are {}, and all", name, fmt::join(known, " ")));
    add_opcode(v, *op);
  }
}

/// Draws the graph with Graphviz. If there is no Graphviz, writes the graph's text next to the file.
void write_svg(const std::string& file, const std::string& dot) {
  const std::string graph = file + ".dot";
  host::output_file(graph).write(dot);
  if (const std::string program = host::first_program(host::in_path("dot"));
      !program.empty() && host::run({program, "-Tsvg", "-o", file, graph}, {}, true).status == 0) {
    std::filesystem::remove(graph);
    return;
  }
  fmt::print(stderr, "superopt: no Graphviz here (package graphviz), so no {}; the graph is in {}\n", file, graph);
}

nlohmann::json as_json(const candidate& c) {
  nlohmann::json code = nlohmann::json::array();
  for (const instruction& i : c.code) code.push_back(to_text(i));
  return {{"cycles", c.cycles}, {"instructions", code}};
}

/// Shows the progress: as one line on a terminal, or as a new line in a log every few seconds.
class progress_line {
 public:
  explicit progress_line(bool quiet) : quiet_(quiet), terminal_(host::is_terminal(2)) {}
  ~progress_line() { end(); }
  void show(const search_result& r, std::uint64_t budget) {
    if (quiet_ || r.seconds < next_) return;
    next_ = r.seconds + (terminal_ ? 0.2 : 5.0);
    fmt::print(stderr, "{}{:.0f} s, {:.1f} M of {:.1f} M proposals: {} cycles, {} instructions, {} counterexamples  {}",
               terminal_ ? "\r" : "", r.seconds, static_cast<double>(r.proposals) * 1e-6,
               static_cast<double>(budget) * 1e-6, r.best.cycles, r.best.code.size(), r.counterexamples,
               terminal_ ? "" : "\n");
    std::fflush(stderr);
    shown_ = true;
  }
  void end() {
    if (shown_ && terminal_) fmt::print(stderr, "\n");
    shown_ = false;
  }

 private:
  bool quiet_, terminal_, shown_ = false;
  double next_ = 0;
};

/// The result of either kind of search.
struct answer {
  candidate best;
  proof equivalence;
  nlohmann::json json;
};

answer run_search(const arguments& args, const target& t, const vocabulary& v, const cost_table& table) {
  search_settings s = args.search;
  if (s.threads == 0) s.threads = std::max(1u, std::thread::hardware_concurrency());
  s.proof.milliseconds = static_cast<unsigned>(args.proof_seconds * 1000);
  progress_line line(args.quiet);
  const search_result r = search(t, v, table, s, [&](const search_result& so_far) { line.show(so_far, s.budget); });
  line.end();
  say("Found after {:.1f} s ({:.1f} M proposals): {} cycles, {} instructions, {}.\n", r.seconds_to_best,
      static_cast<double>(r.proposals_to_best) * 1e-6, r.best.cycles, r.best.code.size(), to_text(r.equivalence));
  if (r.unproved) {
    say("Passes all tests, but not proved: {} cycles, {} instructions.\n  {}\n{}", r.unproved->cycles,
        r.unproved->code.size(), r.why_unproved, print_schedule(r.unproved->code, t, table));
  }
  say("{} tests, {} of them counterexamples; {:.1f} M proposals in {:.1f} s, seed {}.\n", r.tests, r.counterexamples,
      static_cast<double>(r.proposals) * 1e-6, r.seconds, s.seed);
  nlohmann::json j = {{"seed", s.seed},
                      {"chains", s.chains},
                      {"proposals", r.proposals},
                      {"evaluated", r.evaluated},
                      {"accepted", r.accepted},
                      {"tests", r.tests},
                      {"counterexamples", r.counterexamples},
                      {"proofs", r.proofs},
                      {"seconds", r.seconds},
                      {"seconds_to_best", r.seconds_to_best},
                      {"proposals_to_best", r.proposals_to_best},
                      {"unproved", nullptr}};
  if (r.unproved) {
    j["unproved"] = as_json(*r.unproved);
    j["unproved"]["reason"] = r.why_unproved;
  }
  return {r.best, r.equivalence, j};
}

answer run_exhaustive(const arguments& args, const target& t, const vocabulary& v, const cost_table& table) {
  exhaustive_settings s;
  s.instructions = args.exhaustive;
  s.below_cycles = args.below;
  s.proof.milliseconds = static_cast<unsigned>(args.proof_seconds * 1000);
  const exhaustive_result r = search_exhaustively(t, v, table, s);
  const unsigned start = cycles_of(t.code, t, table);
  const unsigned limit = args.below != 0 ? args.below : start;
  std::vector<std::string_view> names;
  for (const opcode op : v.opcodes) names.push_back(facts_of(op).name);
  if (!r.complete)
    say("Not proved to be the cheapest: {}.\n", r.why_incomplete);
  else
    say("No program of at most {} instructions out of {} takes fewer than {} cycles: all were tried.\n",
        args.exhaustive, fmt::join(names, ", "), r.best ? r.best->cycles : limit);
  say("{} instructions appended, {} programs tested, {} counterexamples, {:.1f} s.\n", r.nodes, r.tested,
      r.counterexamples, r.seconds);
  answer a;
  a.best = r.best.value_or(candidate{t.code, start});
  a.equivalence = r.equivalence;
  if (!r.best) a.equivalence.is = verdict::proved;  // the best program is the target itself
  a.json = {{"complete", r.complete},     {"why_incomplete", r.why_incomplete},
            {"below_cycles", limit},      {"found", bool(r.best)},
            {"nodes", r.nodes},           {"tested", r.tested},
            {"at_most", args.exhaustive}, {"counterexamples", r.counterexamples},
            {"seconds", r.seconds}};
  return a;
}

int run(const arguments& args) {
  host::json_file json(args.json);
  host::output_file cuda(args.cuda, host::contents::source);
  if (json.is_standard_output() || cuda.is_standard_output()) spoken = stderr;
  const target t = load_target(args.target);
  const cost_table table = load_cost_table(args.cost);
  vocabulary v = vocabulary_for(t);
  choose_opcodes(v, args.opcodes);
  if (args.length != 0) v.length = args.length;
  if (v.length > max_instructions) throw bad_input(fmt::format("--length: at most {} instructions", max_instructions));
  const candidate start{t.code, (demand_known(t.code, table), cycles_of(t.code, t, table))};
  say("{}: {} instructions, {} cycles by the table {}.\n{}", t.name, t.code.size(), start.cycles, table.name,
      print_schedule(t.code, t, table));
  answer a{start, {verdict::proved, {}, {}, 0}, nullptr};
  if (!args.as_is) {
    a = args.exhaustive != 0 ? run_exhaustive(args, t, v, table) : run_search(args, t, v, table);
    say("{}", print_schedule(a.best.code, t, table));
  }
  std::string name = args.name;
  for (const char c : name.empty() ? t.name : "") name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (cuda.wanted()) {
    const std::string head = fmt::format("// {} cycles by the table {}, {}, from {}.\n", a.best.cycles, table.name,
                                         to_text(a.equivalence), std::filesystem::path(t.name).filename().string());
    cuda.write("#pragma once\n" + head + print_cuda(a.best.code, t, name));
  }
  if (!args.svg.empty()) write_svg(args.svg, print_dot(a.best.code, t, table));
  json.write(
      {{"schema", 1},
       {"target", {{"name", t.name}, {"cycles", start.cycles}, {"instructions", as_json(start)["instructions"]}}},
       {"cost_table", {{"name", table.name}, {"provenance", table.provenance}}},
       {"best", as_json(a.best)},
       {"equivalence", to_text(a.equivalence)},
       {args.exhaustive != 0 ? "exhaustive" : "search", a.json}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  host::parser app{
      "Searches for a cheaper program that computes the same on a warp of 32 lanes, and proves that it does",
      "superopt"};
  app.add_option("--target", args.target,
                 fmt::format("Program to improve: a file, or one of {}", fmt::join(known_targets(), ", ")))
      .shows_default();
  app.add_option("--cost", args.cost,
                 fmt::format("The table of latencies: a file, or one of {}", fmt::join(known_cost_tables(), ", ")))
      .shows_default();
  app.add_option("--seed", args.search.seed, "Seed of the search; the same seed finds the same program")
      .check(host::number_from(0, 999999999999999999ull))
      .shows_default();
  app.add_option("--budget", args.search.budget, "Proposals of all chains together: 200000, 500k, 16M, 2^24 (16M)")
      .transform({read_budget, ""});
  app.add_option("--seconds", args.search.seconds,
                 "Also stop after this time; the result then depends on the machine's speed")
      .check(host::real_from(0, 1e6));
  app.add_option("--threads", args.search.threads,
                 "Threads of the host (default: one per core). The result does not depend on it")
      .check(host::number_from(0, 4096));
  app.add_option("--chains", args.search.chains, "Chains that search side by side")
      .check(host::number_from(1, 4096))
      .shows_default();
  app.add_option("--length", args.length,
                 "Largest number of instructions of a candidate (default: twice the target's)");
  app.add_option("--opcodes", args.opcodes,
                 "Opcodes to use, separated by commas, or all (default: those that suit the target)")
      .delimiter(',');
  app.add_option("--temperature", args.search.chain.temperature,
                 "Temperature in cycles; 0: derived from the target's cycles per lane")
      .check(host::real_from(0, 1e6))
      .shows_default();
  app.add_option("--penalty", args.search.chain.penalty,
                 "Cost of a program with every lane wrong, as a multiple of the target's cycles")
      .check(host::real_from(0, 1e6))
      .shows_default();
  app.add_option("--stop-at", args.search.stop_at, "End as soon as a proved program takes no more cycles than this");
  app.add_option("--proof-seconds", args.proof_seconds, "Time limit of Z3 for one question")
      .check(host::real_from(0, 1e6))
      .shows_default();
  app.add_option("--exhaustive", args.exhaustive, "Instead, try every program of at most this number of instructions");
  app.add_option("--below", args.below, "With --exhaustive: only programs of fewer cycles (default: than the target)");
  app.add_flag("--as-is", args.as_is, "Do not search: show the target itself, also with --cuda, --svg and --json");
  app.add_option("--json", args.json, "Write everything as JSON; - is standard output");
  app.add_option("--svg", args.svg, "Draw the dependences between results (needs Graphviz)");
  app.add_option("--cuda", args.cuda, "Write the program as a CUDA C++ device function; - is standard output");
  app.add_option("--name", args.name, "Name of that function (default: the target's)")
      .check({complaint_about_name, ""});
  app.add_flag("--quiet", args.quiet, "No progress on standard error");
  return host::run_program(app, argc, argv, host::status_bad_usage, [&] { return run(args); });
}
