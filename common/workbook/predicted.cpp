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
std::string advice_for(const std::vector<std::string>& limits) {
  struct line {
    const char *limit, *advice;
  };
  static constexpr std::array lines = {
      line{"block starts", "Fewer blocks that do more each need fewer starts (chapters 4 and 7)."},
      line{"latency", "It waits: more loads at a time, fewer barriers and shorter chains help (chapters 5 to 9)."},
      line{"memory", "The memory gives no more: only moving fewer bytes helps."},
      line{"instructions", "Fewer instructions per element help (chapters 2, 5 and 6)."},
      line{"L1 cache", "Warps whose lanes touch fewer lines of memory help: neighbours read neighbours (chapter 2)."},
      line{"shared memory", "Fewer conflicts and fewer accesses to shared memory help (chapters 3 and 9)."},
      line{"launches", "Most of it is the launches' own: larger inputs, or one launch for several (chapter 12)."}};
  std::string text;
  for (const line& l : lines)
    if (std::find(limits.begin(), limits.end(), l.limit) != limits.end())
      text += (text.empty() ? "" : " ") + std::string(l.advice);
  return text;
}

/// The terms and the launches, the longest first.
std::vector<model::term> parts_of(const model::prediction& p) {
  std::vector<model::term> parts = p.terms;
  parts.push_back({"launches", p.launch_us});
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.us > b.us; });
  return parts;
}

/// Says where prediction and measurement are further apart than the model's error, and which terms could be wrong.
std::string doubt_about(const std::string& name, const model::prediction& p, double measured_us) {
  const double ratio = std::max(p.us / measured_us, measured_us / p.us);
  if (ratio <= 1 + model::ninth_decile_percent / 100.0) return {};
  const std::vector<model::term> parts = parts_of(p);
  return fmt::format(
      "{}: predicted {:.1f} times as {} as measured, more than the model's error. Its largest "
      "parts, {} and {}, may be wrong here, or what the model does not know counts.\n",
      name, ratio, p.us > measured_us ? "long" : "short", parts[0].name, parts[1].name);
}

}  // namespace

std::string predicted_table(const run_result& r, const run_result* timed) {
  const bool ran = std::any_of(r.rows.begin(), r.rows.end(), [](const outcome& o) { return !o.launches.empty(); });
  if (!ran) return {};
  const known k = machine_of_emulator();
  if (!k.machine) return wrapped(k.why_not + "\n");
  if (timed != nullptr && timed->device.name != k.machine->name) timed = nullptr;
  // The rate, or the time that was measured: the table of times has its rate. All fits into 80 columns.
  const int second = timed == nullptr ? 6 : 8;
  std::string text = fmt::format("\n{:<34} {:>8} {:>{}}  limited by\n", "on an " + k.machine->name, "time* us",
                                 timed == nullptr ? "GB/s*" : "measured", second);
  const double bytes = static_cast<double>(r.given.count) *
                       with_type(r.given.type, [](auto* tag) { return static_cast<double>(sizeof(*tag)); });
  std::string doubts;
  for (std::size_t row = 0; row < r.rows.size(); ++row) {
    const outcome& o = r.rows[row];
    if (o.launches.empty() || !o.attempted) continue;
    const model::prediction p = prediction_of(*k.machine, o);
    const std::string name = fmt::format("{} ({})", o.name, role_name(o.as)).substr(0, 34);
    if (!p.unknown.empty()) {
      text += fmt::format("{:<34} {:>8} {:>{}}  not known\n", name, "-", "-", second);
      const std::string reason = fmt::format("Not known: {}.\n", p.unknown);
      if (doubts.find(reason) == std::string::npos) doubts += reason;
      continue;
    }
    const timing* measured = timed != nullptr && timed->rows[row].cold ? &*timed->rows[row].cold : nullptr;
    const std::string beside = timed != nullptr
                                   ? measured == nullptr ? "-" : fmt::format("{:.1f}", measured->median_ms * 1e3)
                                   : fmt::format("{:.0f}", bytes / p.us * 1e-3);
    text += fmt::format("{:<34} {:>8.1f} {:>{}}  {}\n", name, p.us, beside, second, p.limit());
    if (measured != nullptr) doubts += doubt_about(o.name, p, measured->median_ms * 1e3);
  }
  return text +
         wrapped(doubts +
                 fmt::format("* Predicted from the counts: off by {} % on average, and by less than {} % in nine of "
                             "ten cases (docs/pages/time.md).\n",
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
  const std::vector<model::term> parts = parts_of(p);
  constexpr double most_marks = 40;
  for (const model::term& t : parts) {
    const auto marks = static_cast<std::size_t>(most_marks * t.us / parts.front().us + 0.5);
    text += fmt::format("  {:<14} {:>9.2f} us  {}\n", t.name, t.us, std::string(marks, '#'));
  }
  return text + wrapped(advice_for(p.limits()) + "\n");
}

}  // namespace workbook
