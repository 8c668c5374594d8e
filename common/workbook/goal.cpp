#include "workbook/goal.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workbook/words.hpp"

namespace workbook {
namespace {

/// Returns NaN if the launch has no such counter.
double counted(const emulator::launch_report& launch, const std::string& counter) {
  const auto found = launch.counters.find(counter);
  return found == launch.counters.end() ? NAN : static_cast<double>(found->second);
}

/// Returns true if needed <= most. Counts have been divided and multiplied, so equal ones may differ in the last bits.
/// False for NaN.
bool within(double needed, double most) {
  return needed <= most * (1 + 1e-9);
}

bool beyond(double needed, double most) {
  return needed > most * (1 + 1e-9);
}

bool launches_a_library(const outcome& o) {
  return std::any_of(o.launches.begin(), o.launches.end(), [](const emulator::launch_report& launch) {
    return launch.kernel.find("cub::") != std::string::npos || launch.kernel.find("thrust::") != std::string::npos;
  });
}

/// Returns true if the goal is missed although the counts that are shown are low enough, so that the text has to give a
/// different reason.
bool looks_reached(const goal_state& g) {
  const auto looks_low = [](const goal_state::counted& one) { return within(one.yours, one.allowed); };
  return g.right && !g.reached && std::ranges::all_of(g.counts, looks_low);
}

/// Returns why a count is too large, as a line of text. May be empty.
std::string why_too_much(const goal_state& g) {
  return g.why.empty() ? "" : "  " + g.why + "\n";
}

std::string launches_missing(const goal_state& g) {
  return g.one_launch_a_pass ? "" : "  Your kernel makes more than one launch per pass; make only one.\n";
}

/// Returns the conditions that the kernel violates to reach the count.
std::string what_is_missing(const goal_state& g) {
  std::string text;
  if (g.of_a_library) text += "  A library's kernel does the work here; the goal requires your own kernel.\n";
  for (const goal_state::counted& one : g.counts) {
    if (beyond(one.all_yours, one.all_allowed))
      text += fmt::format(
          "  Over all launches {} {}, and at most {} is allowed: some of the work is done in other launches, or blocks "
          "with nothing to do lower the average.\n",
          g.counts.size() == 1 ? "it is" : one.of->metric + ':', format_short(one.all_yours),
          format_short(one.all_allowed));
  }
  for (const goal_state::checked& one : g.conditions) {
    if (!one.holds())
      text += fmt::format("  But {}: at most {} wanted, yours {}. {}\n", one.of->metric, format_short(one.most),
                          format_short(one.yours), one.of->cure);
  }
  return text + launches_missing(g);
}

/// Returns the largest allowed count. If there is no previous chapter, or its kernel did not need more than the target,
/// this is the target plus its room.
double allowed(double target, double before, double slack, double room) {
  return target + std::max(room, before > target ? slack * (before - target) : 0);
}

/// Compares one of the student's counts with those of the other kernels.
goal_state::counted evaluate_count(const wanted_count& wanted, const goal_numbers::of_count& own,
                                   const goal_numbers::of_count& reference, const goal_numbers::of_count& before) {
  const auto target = [&wanted](double needed) {
    return std::isnan(needed) ? needed : std::max(needed, wanted.at_least);
  };
  goal_state::counted one;
  one.of = &wanted;
  one.target = target(reference.value);
  one.before = before.value;
  one.yours = own.value;
  one.allowed = allowed(one.target, one.before, wanted.slack, wanted.room);
  one.low_enough = within(one.yours, one.allowed);
  if (!wanted.of_all) return one;
  one.all_yours = own.of_all;
  const double slack = one.low_enough ? std::max(wanted.slack, 0.5) : wanted.slack;
  one.all_allowed = allowed(target(reference.of_all), before.of_all, slack, wanted.room);
  one.low_enough = within(one.all_yours, one.all_allowed);
  return one;
}

/// Returns for example "bank conflicts per block: wanted 0, before 45, yours 45."
std::string count_text(const goal_state::counted& one) {
  return fmt::format("  {}: wanted {}, before {}, yours {}.\n", one.of->metric, format_short(one.target),
                     format_short(one.before), format_short(one.yours));
}

/// Returns text about the largest allowed count, if the student's count is above its target.
std::string room_text(const goal_state::counted& one, bool alone) {
  if (!beyond(one.yours, one.target)) return {};
  const std::string of_what = alone ? std::string() : " for " + one.of->metric;
  // The limit is between two counts, and only small counts are averages with fractions.
  const auto limit = [](double allowed) { return format_short(allowed >= 100 ? std::floor(allowed) : allowed); };
  if (!beyond(one.yours, one.allowed))
    return fmt::format("  Up to {} is as good{}: yours is another solution.\n", limit(one.allowed), of_what);
  return fmt::format("  Over all launches yours needs {}, and up to {} is as good{}: yours is another solution.\n",
                     format_short(one.all_yours), limit(one.all_allowed), of_what);
}

}  // namespace

double total(const outcome& o, const std::string& counter) {
  return o.launches.empty() ? NAN : counted(o.main_launch(), counter);
}
double per_block(const outcome& o, const std::string& counter) {
  return total(o, counter) / total(o, "workbook__blocks.sum");
}
double per_warp(const outcome& o, const std::string& counter) {
  return total(o, counter) / total(o, "workbook__warps.sum");
}
double per_element(const outcome& o, const std::string& counter) {
  return o.count == 0 ? NAN : total(o, counter) / static_cast<double>(o.count);
}

double busy_blocks(const outcome& o) {
  if (o.launches.empty()) return NAN;
  return total(o, "workbook__inst_executed.sum") / static_cast<double>(o.main_launch().busiest_block);
}

double over_all(const outcome& o, const std::string& counter) {
  if (o.launches.empty()) return NAN;
  double sum = 0;
  for (const emulator::launch_report& launch : o.launches) sum += counted(launch, counter);
  return sum;
}

bool goal_state::checked::holds() const {
  return !beyond(yours, most);
}

bool goal_state::may_reach_with_more() const {
  const auto holds = [](const checked& one) { return one.of->of_loop || one.holds(); };
  return right && !of_a_library && std::ranges::all_of(conditions, holds);
}

goal_numbers numbers_of(const goal& aim, const outcome& o) {
  const auto value = [&o](const std::function<double(const outcome&)>& counted) {
    return o.launches.empty() || !counted ? NAN : counted(o);
  };
  goal_numbers n;
  for (const wanted_count& c : aim.counts) n.counts.push_back({value(c.value), value(c.of_all)});
  for (const condition& c : aim.conditions) n.conditions.push_back(value(c.value));
  return n;
}

goal_state evaluate(const goal& aim, const outcome* yours, const numbers_beside& beside) {
  goal_state g;
  const goal_numbers unknown{std::vector<goal_numbers::of_count>(aim.counts.size()),
                             std::vector<double>(aim.conditions.size(), NAN)};
  const goal_numbers own = yours != nullptr ? numbers_of(aim, *yours) : unknown;
  const goal_numbers reference = beside.reference.value_or(unknown), before = beside.previous.value_or(unknown);
  const bool right =
      yours != nullptr && yours->attempted && yours->verified && yours->findings().empty() && yours->failure.empty();
  g.right = right;
  g.judged = !right || yours->count != 0;
  for (std::size_t k = 0; k < aim.conditions.size(); ++k) {
    const condition& c = aim.conditions[k];
    const double without = c.beside_previous ? before.conditions[k] : NAN;
    const double most = std::fmax(reference.conditions[k], without);  // either may be unknown (NaN)
    g.conditions.push_back({&c, std::isnan(most) ? NAN : std::max(most * c.times, c.at_least), own.conditions[k]});
  }
  g.of_a_library = yours != nullptr && launches_a_library(*yours);
  const bool fair = !g.of_a_library && std::ranges::all_of(g.conditions, &goal_state::checked::holds);
  for (std::size_t k = 0; k < aim.counts.size(); ++k)
    g.counts.push_back(evaluate_count(aim.counts[k], own.counts[k], reference.counts[k], before.counts[k]));
  const bool low_enough = std::ranges::all_of(g.counts, &goal_state::counted::low_enough);
  if (right && !low_enough && aim.why) g.why = aim.why(*yours);
  if (!aim.counts.empty())
    g.one_launch_a_pass = yours == nullptr || !yours->verified || yours->launches.size() <= yours->passes;
  g.reached = right && g.judged && g.one_launch_a_pass && low_enough && fair;
  return g;
}

goal_state evaluate(const goal& aim, const std::vector<outcome>& rows) {
  const auto of = [&rows](role r) -> const outcome* {
    const auto found = std::ranges::find(rows, r, &outcome::as);
    return found == rows.end() ? nullptr : &*found;
  };
  const auto numbers = [&](role r) -> std::optional<goal_numbers> {
    const outcome* o = of(r);
    return o == nullptr ? std::nullopt : std::optional(numbers_of(aim, *o));
  };
  return evaluate(aim, of(role::yours), {numbers(role::reference), numbers(role::previous)});
}

std::string goal_text(const goal& aim, const goal_state& g, std::optional<int> untried) {
  std::string text = fmt::format("\nGoal: {}.\n", aim.text);
  if (std::ranges::any_of(g.counts, [](const goal_state::counted& one) { return std::isnan(one.target); }))
    return text + "  Not judged: the chapter's reference could not run here, so there is no target.\n";
  for (const goal_state::counted& one : g.counts) text += count_text(one);
  if (g.reached)
    for (const goal_state::counted& one : g.counts) text += room_text(one, g.counts.size() == 1);
  text += why_too_much(g) + (looks_reached(g) ? what_is_missing(g) : launches_missing(g));
  if (!g.judged) return text + "  Not judged: the input is empty, so every kernel would be right.\n";
  if (!g.reached) return text + "  Not reached yet.\n";
  if (!untried) return text + "  Reached.\n";
  return text +
         fmt::format("  Reached on this input. `make test{}` tries other sizes, types and block sizes.\n", *untried);
}

wanted_count count_of(std::string metric, double (*average)(const outcome&, const std::string&), std::string counter,
                      double slack) {
  wanted_count one{std::move(metric), [=](const outcome& o) { return average(o, counter); }, slack};
  one.of_all = [counter = std::move(counter)](const outcome& o) { return over_all(o, counter); };
  return one;
}

goal goal_of(std::string text, std::string metric, double (*average)(const outcome&, const std::string&),
             std::string counter, double slack) {
  return {std::move(text), {count_of(std::move(metric), average, std::move(counter), slack)}};
}

column column_of(const goal& aim) {
  const wanted_count& first = aim.counts.front();
  const std::size_t rate = std::min(first.metric.rfind(" per "), first.metric.size());
  return {first.metric.substr(0, rate), rate == first.metric.size() ? std::string() : first.metric.substr(rate + 1),
          first.value};
}

nlohmann::json goal_json(const goal& aim, const goal_state& g) {
  nlohmann::json counts = nlohmann::json::array();
  // NaN becomes null.
  for (const goal_state::counted& one : g.counts)
    counts.push_back({{"metric", one.of->metric},
                      {"target", one.target},
                      {"allowed", one.allowed},
                      {"before", one.before},
                      {"yours", one.yours}});
  return {{"text", aim.text},
          {"reached", g.reached},
          {"counts", counts},
          {"missing", g.right && !g.reached ? why_too_much(g) + what_is_missing(g) : std::string()}};
}

}  // namespace workbook
