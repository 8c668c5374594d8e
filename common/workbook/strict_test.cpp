#include "workbook/strict_test.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/output_file.hpp"
#include "workbook/exercise_version.hpp"
#include "workbook/kept_numbers.hpp"
#include "workbook/mistakes.hpp"
#include "workbook/profile.hpp"
#include "workbook/strict_groups.hpp"
#include "workbook/table.hpp"
#include "workbook/words.hpp"

namespace workbook {
namespace {

std::string listed(std::span<const problem> tried) {
  std::string text;
  for (const problem& p : tried) {
    const std::string number = std::to_string(p.count);
    if (text.find(number + ",") == std::string::npos) text += number + ", ";
  }
  return text.substr(0, text.size() - 2);
}

/// Returns the block as an argument for `--block-size`: "128" or "8x4x2".
std::string block_option(const problem& p) {
  std::string text = block_text(p);
  std::erase(text, ' ');
  return text;
}

/// The strict test's output: text for people during the test, and data for programs when it ends.
class account {
 public:
  account(int number, bool quiet, std::size_t lines_kept) : chapter(number), said(lines_kept), quiet_(quiet) {}
  /// Prints what the kernels have printed, unchanged.
  void show_what_was_printed() {
    data["printed"] = said.data();
    if (!quiet_) fmt::print("{}", said.text());
  }
  template <typename... Arguments>
  void say(fmt::format_string<Arguments...> words, Arguments&&... arguments) {
    if (quiet_) return;
    const std::string text = wrapped(fmt::format(words, std::forward<Arguments>(arguments)...), column_);
    column_ = column_behind(text, column_);
    fmt::print("{}", text);
    std::fflush(stdout);
  }
  const int chapter;
  nlohmann::json data;
  printed_by_all said;  ///< The kernels' output, which is shown after the verdict.

 private:
  bool quiet_;
  std::size_t column_ = 0;
};

bool is_floating(element_type type) {
  return type == element_type::float32 || type == element_type::float64;
}

/// Counts the problems that were tested, those that were right (separately for integers and floating point), and those
/// that were clean.
class tally {
 public:
  void add(const problem& p, const outcome& o) {
    part& of = parts_[is_floating(p.type) ? 1 : 0];
    ++of.tried;
    of.right += o.verified && o.failure.empty() ? 1 : 0;
    clean_ += o.findings().empty() && o.failure.empty() ? 1 : 0;
    if (o.verified && o.bound > 0) worst_share_ = std::max(worst_share_, o.error / o.bound);
  }
  /// Counts a problem that cannot run here but would have a wrong result.
  void add_wrong(const problem& p) {
    ++parts_[is_floating(p.type) ? 1 : 0].tried;
    ++clean_;
  }
  [[nodiscard]] nlohmann::json data() const {
    const auto one = [](const part& of) { return nlohmann::json{{"tried", of.tried}, {"right", of.right}}; };
    return {{"integer", one(parts_[0])},
            {"floating", one(parts_[1])},
            {"clean", {{"tried", parts_[0].tried + parts_[1].tried}, {"right", clean_}}},
            {"worst_share_of_bound", worst_share_}};
  }

 private:
  struct part {
    unsigned tried = 0, right = 0;
  };
  part parts_[2];
  unsigned clean_ = 0;
  double worst_share_ = 0;
};

nlohmann::json as_json(const std::vector<mistake>& all) {
  nlohmann::json j = nlohmann::json::array();
  for (const mistake& m : all)
    j.push_back({{"found_by", m.found_by}, {"cause", m.cause}, {"cure", m.cure}, {"line", m.line}});
  return j;
}

/// Prints what is wrong and how to reproduce it, and records it in the data. The first failure is also recorded in
/// detail.
/// \param verdict  "wrong" or "unsafe"
void accuse(const problem& p, const std::string& verdict, const std::vector<mistake>& found, account& to) {
  std::string words = "\n";
  for (const mistake& m : found) words += paragraph(m);
  to.say("{}\n{}\n", verdict == "wrong" ? "WRONG" : "UNSAFE", words);
  to.say("  That was with {} element{} of type {} in blocks of {} threads{}. To see it alone:\n", p.count,
         p.count == 1 ? "" : "s", name_of(p.type), block_text(p),
         p.gpus == 0 ? "" : fmt::format(" on {} GPUs", p.gpus));
  to.say("  make chapter{} ARGS=\"--count {} --type {} --block-size {} --seed {}{}\"\n\n", to.chapter, p.count,
         name_of(p.type), block_option(p), p.seed,
         (p.offset == 0 ? "" : fmt::format(" --offset {}", p.offset)) +
             (p.gpus == 0 ? "" : fmt::format(" --gpus {}", p.gpus)));
  if (to.data.value("verdict", "") != "wrong") to.data["verdict"] = verdict;
  if (to.data.contains("failed")) return;
  to.data["failed"] = {{"count", p.count},   {"type", name_of(p.type)}, {"block_size", block_option(p)},
                       {"seed", p.seed},     {"offset", p.offset},      {"gpus", p.gpus},
                       {"verdict", verdict}, {"words", words},          {"mistakes", as_json(found)}};
}

/// Checks how the kernel computes its indices. Inputs of more than 2^32 elements would show that, but they don't fit a
/// student's machine.
bool try_index_width(const specimen& yours, const effort& how, account& to, tally& all) {
  const problem p{element_type::int32, 4093, problem{}.block_size, 1};
  if (!how.observe || !yours.takes(p)) return true;
  const outcome o = examine(yours, p, how);
  if (yours.release) yours.release();
  const std::optional<mistake> narrow = narrow_index_of(o);
  if (!narrow) return true;
  all.add_wrong(p);
  to.say("  {:<30} ", "more than 2^32 elements");
  accuse(p, "wrong", {*narrow}, to);
  return false;
}

/// Reports what is wrong with the outcome of a problem.
void accuse_outcome(const study& s, const problem& p, const outcome& o, bool right_yet, const effort& how,
                    account& to) {
  accuse(p, o.verified ? "unsafe" : "wrong", mistakes_in_context(s, p, o, right_yet, how.observe), to);
  for (const emulator::finding& f : o.findings())
    to.data["findings"].push_back({{"check", name_of(f.check())}, {"kind", name_of(f.kind)}, {"line", f.line}});
}

/// Returns true if a kernel rejects the block size by launching nothing and returning no sums. Kernels with steps
/// written out for powers of two do that, so it is allowed only for other sizes.
bool declines(const problem& p, const outcome& o) {
  const bool power_of_two = (p.block_size & (p.block_size - 1)) == 0;
  return !power_of_two && o.launches.empty() && !o.returned.empty() && o.returned.front() == 0;
}

/// Tests the problems of a group until one fails. Returns true if all have passed.
/// \param right_yet  true if all earlier groups have passed
bool try_group(const strict_group& g, const study& s, const specimen& yours, bool right_yet, effort how, account& to,
               tally& all) {
  how.observe = how.observe && g.checked;
  how.follow = false;  // the critical path isn't needed here
  const std::uint64_t begin = emulator::warp_instructions_executed();
  std::size_t tried = 0;
  to.say("  {:<30} ", g.name);
  std::string not_taken;
  for (const problem& p : g.problems) {
    if (emulator::warp_instructions_executed() - begin >= g.enough_instructions) break;
    ++tried;
    if (const std::optional<obstacle> found = yours.obstacle_to(p)) {  // the reference accepts it
      all.add_wrong(p);
      problem of_ints = p;
      of_ints.type = element_type::int32;
      if (is_floating(p.type) && !yours.takes(of_ints)) all.add_wrong(of_ints);  // the kernel fails with every type
      accuse(p, "wrong", {asks_for_too_much(p, found->text)}, to);
      return false;
    }
    const outcome o = examine(yours, p, how);
    if (yours.release) yours.release();
    if (g.checked) to.said.add(o.said);
    if (o.rejected) {  // known only after it is compiled, for example because of launch bounds
      not_taken = *o.rejected;
      if (p.block_size != s.default_block_size) continue;
      all.add_wrong(p);
      accuse(p, "wrong", {refused_block(p, not_taken)}, to);
      return false;
    }
    if (declines(p, o)) continue;
    all.add(p, o);
    if (o.passed()) continue;
    accuse_outcome(s, p, o, right_yet, how, to);
    return false;
  }
  if (!not_taken.empty()) {
    to.say("not run\n  {}\n", not_taken);
    return true;
  }
  to.say("right{} for n = {}\n", how.observe ? " and clean" : "", listed(std::span(g.problems).first(tried)));
  return true;
}

/// Disables the checks: with millions of elements they take a long time, and smaller inputs have already shown what
/// they can find.
effort counted_only(effort how) {
  how.check = false;
  return how;
}

/// Returns the goal's numbers of the reference and the previous kernel.
numbers_beside count_beside(const chapter& c, const problem& p, const effort& of_yours) {
  const effort how = counted_only(of_yours);  // their faults are known
  numbers_beside beside;
  for (const specimen& kernel : c.table.kernels) {
    if (kernel.as != role::previous && kernel.as != role::reference) continue;
    std::optional<goal_numbers>& numbers = kernel.as == role::reference ? beside.reference : beside.previous;
    if (!numbers) numbers = kept_numbers(c, kernel.as, p, [&] { return examine(kernel, p, how); });
  }
  return beside;
}

/// How much is printed about the goal on one input.
enum class goal_lines : std::uint8_t {
  all,         ///< The whole goal: the input of the chapter's table.
  if_missed,   ///< Only if the goal is not reached.
  if_hopeless  ///< Only if it is not reached, and more elements
               ///< would not help; otherwise they are tried next.
};

/// Returns the goal's state on an input, or nothing if the kernel is wrong or unsafe there.
std::optional<goal_state> try_goal_on(const chapter& c, const specimen& yours, const problem& p, goal_lines shown,
                                      const effort& how, account& to, tally& all) {
  const outcome o = examine(yours, p, how);
  to.said.add(o.said);
  if (!o.passed()) {
    to.say("  {:<30} ", "the goal's input");
    all.add(p, o);
    accuse_outcome(c.table, p, o, /*right_yet=*/true, how, to);
    return {};
  }
  goal_state state = evaluate(c.aim, &o, count_beside(c, p, how));
  const bool reached = state.reached, first = shown == goal_lines::all;
  const bool silent = reached || (shown == goal_lines::if_hopeless && state.may_reach_with_more());
  if (!first && !silent)
    to.say("\nNot reached with {} elements of type {} in blocks of {}{}:\n", p.count, name_of(p.type), block_text(p),
           p.offset == 0 ? "" : ", where " + c.table.offset_means);
  if (first || !silent) to.say("{}", text_below(c, state, /*strict=*/true));
  if (first || !reached || !to.data["goal"].value("reached", false)) to.data["goal"] = goal_json(c.aim, state);
  if (first) {
    const costs of_lines = costs_of(c, o);
    to.say("{}", costliest_line(c, of_lines));
    to.data["profile"] = profile_json(of_lines);
  }
  return state;
}

/// From this chapter on, the student chooses how many elements a thread has. A kernel may have separate loops for large
/// and for small shares.
constexpr int first_with_large_shares = 7;

/// On inputs other than the table's, half of the improvement over the previous chapter's kernel is enough. The lessons
/// assume 4-byte elements, and their padding doesn't work for 8-byte ones. With many elements per thread, the student
/// chooses how many a thread takes.
constexpr double slack_of_other_inputs = 0.5;

/// From this chapter on, kernels load vectors if the address allows it.
constexpr int first_with_vectors = 8;

/// Returns true if the goal is reached on the table's input and on random ones. Returns nothing if the kernel is wrong
/// or unsafe on one of them.
std::optional<bool> try_goal(const chapter& c, const specimen& yours, seed_source& seeds, const effort& how,
                             account& to, tally& all) {
  std::vector<specimen> measured;
  for (const specimen& kernel : c.table.kernels) {
    if (kernel.as == role::previous || kernel.as == role::reference || kernel.as == role::yours)
      measured.push_back(kernel);
  }
  bool first = true;
  const bool large_shares = c.table.one_sum && c.number >= first_with_large_shares;
  chapter of_other_inputs = c;
  for (wanted_count& one : of_other_inputs.aim.counts) one.slack = std::max(one.slack, slack_of_other_inputs);
  const goal_inputs more{.offsets = c.number >= first_with_vectors, .large_shares = large_shares};
  for (const goal_problem& one : goal_problems(c.table, measured, more, seeds)) {
    problem p = one.input;
    const effort of_input = one.other && large_shares ? counted_only(how) : how;
    const bool with_more = large_shares && !one.large;
    const goal_lines shown = first ? goal_lines::all : with_more ? goal_lines::if_hopeless : goal_lines::if_missed;
    std::optional<goal_state> state = try_goal_on(one.other ? of_other_inputs : c, yours, p, shown, of_input, to, all);
    if (state && !state->reached && state->may_reach_with_more() && with_more) {
      p.count *= large_share;
      state = try_goal_on(c, yours, p, goal_lines::if_missed, how, to, all);
      if (state && state->reached)
        to.say("\nThe goal is reached with {} elements: with {}, the loop for large shares did not run.\n", p.count,
               one.input.count);
    }
    if (!state) return {};
    if (!state->reached) return false;
    first = false;
  }
  return true;
}

/// Returns the seeds of the command line or of a judge.
seed_source seeds_of(const command_line& line) {
  const char* of_judge = std::getenv(judge_seeds_variable);
  return of_judge != nullptr ? seed_source::of_judge(of_judge) : seed_source(line.given.seed);
}

/// Runs all tests and stores the verdict in `to.data`. Returns the exit status.
int judge(const chapter& c, const command_line& line, account& to) {
  const std::vector<specimen>& kernels = c.table.kernels;
  const auto yours = std::ranges::find(kernels, role::yours, &specimen::as);
  if (yours == kernels.end()) {
    to.say("Chapter {} has no exercise.\n", c.number);
    to.data["verdict"] = "none";
    return 0;
  }
  to.say("Chapter {}: {}\nThe strict test of your {}\n\n", c.number, c.title, c.exercise);
  if (!yours->attempted) {
    to.say("Your kernel is as the chapter gave it. Edit {} in the chapter's folder.\n", c.exercise);
    to.data["verdict"] = "not started";
    return 1;
  }
  const bool gpu = line.device == device_choice::gpu;
  emulator::select_device(gpu ? emulator::device_kind::gpu : emulator::device_kind::emulator);
  seed_source seeds = seeds_of(line);
  tally all;
  bool passed = true;
  const effort how{.observe = !gpu, .lines_kept = line.lines_kept};
  const bool for_a_judge = std::getenv(judge_seeds_variable) != nullptr;
  for (const strict_group& g : groups_for(c.table, *yours, seeds, gpu)) {
    // Millions of threads that print would take too long.
    if (!g.checked && !for_a_judge && !to.said.text().empty()) {
      to.say("  {:<30} not run, because your kernel prints\n", g.name);
      continue;
    }
    passed = try_group(g, c.table, *yours, passed, how, to, all) && passed;
    if (!passed && !line.to_the_end) break;
  }
  if ((passed || line.to_the_end) && c.table.one_sum) passed = try_index_width(*yours, how, to, all) && passed;
  to.data["tally"] = all.data();
  const auto not_passed = [&] {
    to.say("Not passed. {}\n", line.to_the_end ? "The goal was not measured." : "The remaining tests were not run.");
    return 1;
  };
  if (!passed) return not_passed();
  if (gpu) {
    to.say("\nRight. The checks and the goal are the emulator's: run it without --device gpu, too.\n");
    to.data["verdict"] = "right";
    return 0;
  }
  const std::optional<bool> goal = try_goal(c, *yours, seeds, how, to, all);
  to.data["tally"] = all.data();
  if (!goal) return not_passed();
  const bool reached = *goal;
  to.say("\n{}\n",
         reached ? "Passed: right, clean, and the goal reached." : "Right and clean, but the goal is not reached.");
  if (reached) to.say("`make page{}` shows it next to the reference and the library.\n", c.number);
  to.data["verdict"] = reached ? "done" : "goal missed";
  return reached ? 0 : 1;
}

}  // namespace

int run_strict_test(const chapter& c, const command_line& line) {
  host::json_file json(line.json);
  json.claim();
  account to(c.number, line.json == "-", line.lines_kept);
  to.data = {{"schema", 1}, {"chapter", c.number}, {"title", c.title}, {"seed", line.given.seed}};
  if (!c.exercise_sha256.empty()) to.data["exercise_sha256"] = c.exercise_sha256;
  int status = judge(c, line, to);
  to.show_what_was_printed();
  if (other_exercise(c.exercise_path, c.exercise_sha256, c.number)) {
    to.say("\nYou have saved {} during the test: this verdict is for the previous version.\nRun `make test{}` again.\n",
           c.exercise, c.number);
    to.data["verdict"] = "another version";
    status = 2;
  }
  json.write(to.data);
  return status;
}

int refuse_strict_test(const chapter& c, const command_line& line) {
  host::json_file json(line.json);
  json.write({{"schema", 1},
              {"chapter", c.number},
              {"title", c.title},
              {"exercise_sha256", c.exercise_sha256},
              {"verdict", "another version"}});
  return 2;
}

}  // namespace workbook
