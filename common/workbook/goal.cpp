#include "workbook/goal.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workbook/words.hpp"

namespace workbook {

double total(const outcome& o, const std::string& counter) {
  if (o.launches.empty()) return NAN;
  const emulator::counter_map& counters = o.main_launch().counters;
  const auto found = counters.find(counter);
  return found == counters.end() ? NAN : static_cast<double>(found->second);
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

goal_state evaluate(const goal& aim, const std::vector<outcome>& rows) {
  goal_state g;
  const auto of = [&](role r) -> const outcome* {
    const auto found = std::find_if(rows.begin(), rows.end(), [r](const outcome& o) { return o.as == r; });
    return found == rows.end() ? nullptr : &*found;
  };
  const outcome* yours = of(role::yours);
  const outcome* reference = of(role::reference);
  const outcome* before = of(role::previous);
  const bool right =
      yours != nullptr && yours->attempted && yours->verified && yours->findings().empty() && yours->failure.empty();
  g.judged = !right || yours->count != 0;
  if (!aim.value) {
    g.reached = right && g.judged;
    return g;
  }
  const auto value = [&](const outcome* o) { return o == nullptr || o->launches.empty() ? NAN : aim.value(*o); };
  g.counted = true;
  g.target = value(reference);
  g.before = value(before);
  g.yours = value(yours);
  // Where there is no chapter before, or it needed no more, only the target itself will do.
  g.allowed = g.before > g.target ? g.target + aim.slack * (g.before - g.target) : g.target;
  g.one_launch_a_pass = yours == nullptr || !yours->verified || yours->launches.size() <= yours->passes;
  g.reached = right && g.judged && g.one_launch_a_pass && g.yours <= g.allowed * (1 + 1e-9);
  return g;
}

std::string goal_text(const goal& aim, const std::vector<outcome>& rows, std::optional<int> untried) {
  const goal_state g = evaluate(aim, rows);
  std::string text = fmt::format("\nGoal: {}.\n", aim.text);
  if (g.counted)
    text += fmt::format("  {}: wanted {}, before {}, yours {}.\n", aim.metric, shortly(g.target), shortly(g.before),
                        shortly(g.yours));
  if (g.reached && g.counted && g.yours > g.target * (1 + 1e-9))
    text += fmt::format("  Up to {} is as good: yours is another way.\n", shortly(g.allowed));
  if (!g.one_launch_a_pass) text += "  Your kernel makes more than one launch per pass: one is asked for.\n";
  if (!g.judged) return text + "  Not judged: there was nothing to add, so every kernel would be right.\n";
  if (!g.reached) return text + "  Not reached yet.\n";
  if (!untried) return text + "  Reached.\n";
  return text +
         fmt::format("  Reached on this input. `make test{}` tries other sizes, types and block sizes.\n", *untried);
}

column column_of(const goal& aim) {
  const std::size_t rate = std::min(aim.metric.rfind(" per "), aim.metric.size());
  return {aim.metric.substr(0, rate), rate == aim.metric.size() ? std::string() : aim.metric.substr(rate + 1),
          aim.value};
}

nlohmann::json goal_json(const goal& aim, const std::vector<outcome>& rows) {
  const goal_state g = evaluate(aim, rows);
  // What is NaN becomes null.
  return {{"text", aim.text},     {"metric", aim.metric}, {"reached", g.reached}, {"target", g.target},
          {"allowed", g.allowed}, {"before", g.before},   {"yours", g.yours}};
}

}  // namespace workbook
