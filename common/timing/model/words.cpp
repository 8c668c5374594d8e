#include "timing/model/words.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace model {
namespace {

/// The beginning of a sentence about a limit, and what helps against it.
struct cure {
  const char *limit, *begins, *helps;
};
constexpr std::array cures = {
    cure{"block starts", "Block starts alone take", "fewer blocks that each do more remove them"},
    cure{"latency", "Latency alone takes",
         "more loads at a time, fewer barriers and shorter chains of instructions shorten the wait"},
    cure{"memory", "Memory alone takes", "only moving fewer bytes helps"},
    cure{"instructions", "Instructions alone take", "fewer of them per element help"},
    cure{"L1 cache", "Looking up lines in L1 alone takes", "warps whose lanes touch fewer lines of memory help"},
    cure{"shared memory", "Shared memory alone takes", "fewer bank conflicts and fewer accesses help"},
    cure{"launches", "Launches alone take", "use a larger input, or one launch instead of several"}};

}  // namespace

std::vector<term> parts_of(const prediction& p) {
  std::vector<term> parts = p.terms;
  parts.push_back({"launches", p.launch_us});
  std::stable_sort(parts.begin(), parts.end(), [](const term& a, const term& b) { return a.us > b.us; });
  return parts;
}

std::string parts_text(const machine& m, const prediction& p) {
  if (!p.unknown.empty()) return fmt::format("No time on {}: {}.\n", m.with_article(), p.unknown);
  std::string text =
      fmt::format("Predicted for {}: {:.1f} us, cold. By themselves would take:\n", m.with_article(), p.us);
  const std::vector<term> parts = parts_of(p);
  constexpr double max_marks = 40;
  for (const term& t : parts) {
    const auto marks = static_cast<std::size_t>(max_marks * t.us / parts.front().us + 0.5);
    text += fmt::format("  {:<14} {:>9.2f} us{}\n", t.name, t.us, marks == 0 ? "" : "  " + std::string(marks, '#'));
  }
  return text;
}

std::string advice_of(const prediction& p, const std::string& limit) {
  const auto* const found = std::find_if(cures.begin(), cures.end(), [&](const cure& c) { return limit == c.limit; });
  if (found == cures.end()) return {};
  const std::vector<term> parts = parts_of(p);
  const auto part = std::find_if(parts.begin(), parts.end(), [&](const term& t) { return t.name == limit; });
  if (part == parts.end() || p.us <= 0) return {};
  return fmt::format("{} {:.0f} % of it: {}.", found->begins, 100 * part->us / p.us, found->helps);
}

nlohmann::json to_json(const machine& m, const prediction& p) {
  if (!p.unknown.empty()) return {{"gpu", m.name}, {"unknown", p.unknown}};
  nlohmann::json terms;
  for (const term& t : p.terms) terms[t.name] = t.us;
  return {{"gpu", m.name}, {"us", p.us}, {"launch_us", p.launch_us}, {"limits", p.limits()}, {"terms", terms}};
}

}  // namespace model
