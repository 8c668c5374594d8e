#include "workbook/predicted.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "model/prediction.hpp"
#include "workbook/words.hpp"
#include "workbook/wrapped.hpp"

namespace workbook {
namespace {

/// The facts of the GPU that the emulator stands for; what is missing, in words, where there are none.
struct known {
  std::optional<model::machine> machine;
  std::string why_not;
};

known machine_of_emulator() {
  const std::string gpu = emulator::current_options().gpu;
  try {
    known k{model::known_machine(gpu), {}};
    if (!k.machine)
      k.why_not = fmt::format("No times: nobody has measured this GPU ({}). `make machine` on one does.", gpu);
    return k;
  } catch (const std::runtime_error& error) {
    return {{}, error.what()};
  }
}

model::prediction prediction_of(const model::machine& m, const outcome& o) {
  if (!o.passed()) {
    model::prediction p;
    p.unknown = "it is wrong or unsafe";
    return p;
  }
  std::vector<model::counts> launches;
  for (const emulator::launch_report& launch : o.launches) launches.push_back(model::counts_of(launch));
  return model::predict(m, launches);
}

/// What a limit means for who writes the kernel.
std::string advice_for(const std::string& limit) {
  struct line {
    const char *limit, *advice;
  };
  static constexpr std::array lines = {
      line{"block starts", "Fewer blocks that do more each need fewer starts (chapters 4 and 7)."},
      line{"latency", "It waits: more loads at a time, fewer barriers and shorter chains help (chapters 5 to 9)."},
      line{"memory", "The memory gives no more: only moving fewer bytes helps."},
      line{"instructions", "Fewer instructions per element help (chapters 2, 5 and 6)."},
      line{"shared memory", "Fewer conflicts and fewer accesses to shared memory help (chapters 3 and 9)."},
      line{"launches", "Most of it is the launches' own: larger inputs, or one launch for several (chapter 12)."}};
  const auto at = std::find_if(lines.begin(), lines.end(), [&](const line& l) { return limit == l.limit; });
  return at == lines.end() ? std::string() : at->advice;
}

}  // namespace

std::string predicted_table(const run_result& r) {
  const bool ran = std::any_of(r.rows.begin(), r.rows.end(), [](const outcome& o) { return !o.launches.empty(); });
  if (!ran) return {};
  const known k = machine_of_emulator();
  if (!k.machine) return wrapped(k.why_not + "\n");
  std::string text =
      fmt::format("\n{:<34} {:>9} {:>7}  {}\n", "on an " + k.machine->name, "time*", "GB/s*", "limited by");
  const double bytes = static_cast<double>(r.given.count) *
                       with_type(r.given.type, [](auto* tag) { return static_cast<double>(sizeof(*tag)); });
  for (const outcome& o : r.rows) {
    if (o.launches.empty() || !o.attempted) continue;
    const model::prediction p = prediction_of(*k.machine, o);
    const std::string name = fmt::format("{} ({})", o.name, role_name(o.as)).substr(0, 34);
    if (!p.unknown.empty())
      text += wrapped(fmt::format("{:<34} {:>9} {:>7}  {}\n", name, "-", "-", p.unknown));
    else
      text += fmt::format("{:<34} {:>6.1f} us {:>7.0f}  {}\n", name, p.us, bytes / p.us * 1e-3, p.limit());
  }
  return text + wrapped(fmt::format("* Predicted from the counts. Of the ladder's kernels it is off by {} % on "
                                    "average, and by less than {} % in nine of ten cases; docs/pages/time.md says "
                                    "how.\n",
                                    model::mean_error_percent, model::ninth_decile_percent));
}

std::string predicted_parts(const outcome& o) {
  if (o.launches.empty()) return {};
  const known k = machine_of_emulator();
  if (!k.machine) return wrapped(k.why_not + "\n");
  const model::prediction p = prediction_of(*k.machine, o);
  if (!p.unknown.empty()) return wrapped(fmt::format("No time on an {}: {}.\n", k.machine->name, p.unknown));
  std::string text =
      fmt::format("Predicted for an {}: {:.1f} us, cold. By themselves would take:\n", k.machine->name, p.us);
  std::vector<model::term> parts = p.terms;
  parts.push_back({o.launches.size() == 1 ? "the launch" : "launches", p.launch_us});
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.us > b.us; });
  constexpr double most_marks = 40;
  for (const model::term& t : parts) {
    const auto marks = static_cast<std::size_t>(most_marks * t.us / parts.front().us + 0.5);
    text += fmt::format("  {:<14} {:>9.2f} us  {}\n", t.name, t.us, std::string(marks, '#'));
  }
  return text + wrapped(advice_for(p.limit()) + "\n");
}

}  // namespace workbook
