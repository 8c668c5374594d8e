#include "workbook/goal.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workbook/words.hpp"

namespace workbook {
namespace {

/// NaN where the launch has no such counter.
double counted(const emulator::launch_report& launch, const std::string& counter) {
  const auto found = launch.counters.find(counter);
  return found == launch.counters.end() ? NAN : static_cast<double>(found->second);
}

/// Counts are divided and multiplied on their way: equal ones need not be equal to the last bit. False of NaN.
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

/// Says whether the count that the table shows is low enough, so that something else must be said of a missed goal.
bool looks_reached(const goal_state& g) {
  return g.right && !g.reached && (!g.counted || within(g.yours, g.allowed));
}

/// Says where a count comes from that is too large.
std::string why_too_much(const goal_state& g) {
  return g.why.empty() ? "" : "  " + g.why + "\n";
}

std::string launches_missing(const goal_state& g) {
  return g.one_launch_a_pass ? "" : "  Your kernel makes more than one launch per pass: one is asked for.\n";
}

/// Says what the kernel gives up to reach the count.
std::string what_is_missing(const goal_state& g) {
  std::string text;
  if (g.of_a_library) text += "  A library's kernel does the work here: the goal asks for yours.\n";
  if (beyond(g.all_yours, g.all_allowed))
    text += fmt::format(
        "  Over all launches it is {}, and at most {} is wanted: some of the work stands in other launches, or blocks "
        "with nothing to do lower the average.\n",
        shortly(g.all_yours), shortly(g.all_allowed));
  for (const goal_state::checked& one : g.conditions) {
    if (!one.holds())
      text += fmt::format("  But {}: at most {} wanted, yours {}. {}\n", one.of->metric, shortly(one.most),
                          shortly(one.yours), one.of->cure);
  }
  return text + launches_missing(g);
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
  goal_numbers n{value(aim.value), value(aim.of_all), {}};
  for (const condition& c : aim.conditions) n.conditions.push_back(value(c.value));
  return n;
}

goal_state evaluate(const goal& aim, const outcome* yours, const numbers_beside& beside) {
  goal_state g;
  const goal_numbers unknown{NAN, NAN, std::vector<double>(aim.conditions.size(), NAN)};
  const goal_numbers own = yours != nullptr ? numbers_of(aim, *yours) : unknown;
  const goal_numbers reference = beside.reference.value_or(unknown), before = beside.previous.value_or(unknown);
  const bool right =
      yours != nullptr && yours->attempted && yours->verified && yours->findings().empty() && yours->failure.empty();
  g.right = right;
  g.judged = !right || yours->count != 0;
  for (std::size_t k = 0; k < aim.conditions.size(); ++k) {
    const condition& c = aim.conditions[k];
    const double without = c.beside_previous ? before.conditions[k] : NAN;
    const double most = std::fmax(reference.conditions[k], without);  // of two, one of which may not be known
    g.conditions.push_back({&c, std::isnan(most) ? NAN : std::max(most * c.times, c.at_least), own.conditions[k]});
  }
  g.of_a_library = yours != nullptr && launches_a_library(*yours);
  const bool fair = !g.of_a_library && std::ranges::all_of(g.conditions, &goal_state::checked::holds);
  if (!aim.value) {
    g.reached = right && g.judged && fair;
    return g;
  }
  g.counted = true;
  // Where there is no chapter before, or it needed no more, only the target itself will do.
  const auto allowed = [](double target, double previous, double slack) {
    return previous > target ? target + slack * (previous - target) : target;
  };
  g.target = reference.value;
  g.before = before.value;
  g.yours = own.value;
  g.allowed = allowed(g.target, g.before, aim.slack);
  bool low_enough = within(g.yours, g.allowed);
  if (aim.of_all) {
    g.all_yours = own.of_all;
    g.all_allowed = allowed(reference.of_all, before.of_all, low_enough ? std::max(aim.slack, 0.5) : aim.slack);
    low_enough = within(g.all_yours, g.all_allowed);
  }
  if (right && !low_enough && aim.why) g.why = aim.why(*yours);
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
  if (g.counted && std::isnan(g.target))
    return text + "  Not judged: the chapter's reference could not run here, so nobody knows what to want.\n";
  if (g.counted)
    text += fmt::format("  {}: wanted {}, before {}, yours {}.\n", aim.metric, shortly(g.target), shortly(g.before),
                        shortly(g.yours));
  if (g.reached && g.counted && beyond(g.yours, g.target)) {
    text += beyond(g.yours, g.allowed)
                ? fmt::format("  Over all launches yours needs {}, and up to {} is as good: another way.\n",
                              shortly(g.all_yours), shortly(g.all_allowed))
                : fmt::format("  Up to {} is as good: yours is another way.\n", shortly(g.allowed));
  }
  text += why_too_much(g) + (looks_reached(g) ? what_is_missing(g) : launches_missing(g));
  if (!g.judged) return text + "  Not judged: there was nothing to add, so every kernel would be right.\n";
  if (!g.reached) return text + "  Not reached yet.\n";
  if (!untried) return text + "  Reached.\n";
  return text +
         fmt::format("  Reached on this input. `make test{}` tries other sizes, types and block sizes.\n", *untried);
}

goal goal_of(std::string text, std::string metric, double (*average)(const outcome&, const std::string&),
             std::string counter, double slack) {
  goal aim{std::move(text), std::move(metric), [=](const outcome& o) { return average(o, counter); }, slack};
  aim.of_all = [counter = std::move(counter)](const outcome& o) { return over_all(o, counter); };
  return aim;
}

column column_of(const goal& aim) {
  const std::size_t rate = std::min(aim.metric.rfind(" per "), aim.metric.size());
  return {aim.metric.substr(0, rate), rate == aim.metric.size() ? std::string() : aim.metric.substr(rate + 1),
          aim.value};
}

nlohmann::json goal_json(const goal& aim, const goal_state& g) {
  // What is NaN becomes null.
  return {{"text", aim.text},
          {"metric", aim.metric},
          {"reached", g.reached},
          {"target", g.target},
          {"allowed", g.allowed},
          {"before", g.before},
          {"yours", g.yours},
          {"missing", g.right && !g.reached ? why_too_much(g) + what_is_missing(g) : std::string()}};
}

}  // namespace workbook
