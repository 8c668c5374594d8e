#include "workbook/predicted.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "model/words.hpp"
#include "workbook/words.hpp"

namespace workbook {

model::prediction prediction_of(const model::machine& m, const outcome& o) {
  model::prediction none;
  none.unknown = !o.passed() ? "the kernel is wrong or unsafe" : o.host_waits ? model::host_waits : "";
  if (!none.unknown.empty()) return none;
  std::vector<model::counts> launches;
  for (const emulator::launch_report& launch : o.launches) launches.push_back(model::counts_of(launch));
  return model::predict(m, launches);
}

namespace {

/// The chapters that do what helps against a limit, in a sentence; empty where none does.
std::string taught_where(const std::string& limit) {
  struct line {
    const char *limit, *chapters;
  };
  static constexpr std::array lines = {
      line{"block starts", "Chapters 4 and 7 do that."},    line{"latency", "Chapters 5 to 9 do that."},
      line{"instructions", "Chapters 2, 5 and 6 do that."}, line{"L1 cache", "Chapter 2 does that."},
      line{"shared memory", "Chapters 3 and 9 do that."},   line{"launches", "Chapter 12 makes one launch of all."}};
  const auto* const at = std::ranges::find(lines, limit, &line::limit);
  return at == lines.end() ? std::string() : at->chapters;
}

/// Says where prediction and measurement are further apart than the model's error, and which terms could be wrong.
std::string doubt_about(const std::string& name, const model::prediction& p, double measured_us,
                        const model::chapter_error& error) {
  const double ratio = std::max(p.us / measured_us, measured_us / p.us);
  if (ratio <= 1 + error.ninth_decile_percent / 100.0) return {};
  const std::vector<model::term> parts = model::parts_of(p);
  return fmt::format(
      "{}: predicted {:.1f} times as {} as measured, more than the model's error. Its largest "
      "parts, {} and {}, may be wrong here, or what the model does not know counts.\n",
      name, ratio, p.us > measured_us ? "long" : "short", parts[0].name, parts[1].name);
}

}  // namespace

std::string predicted_table(const run_result& r, const run_result* timed, const model::chapter_error& error) {
  const bool ran = std::any_of(r.rows.begin(), r.rows.end(), [](const outcome& o) { return !o.launches.empty(); });
  if (!ran) return {};
  if (!r.predicted_for.measured) return wrapped("\n" + r.predicted_for.why_no_times + "\n");
  const model::machine& machine = *r.predicted_for.measured;
  if (timed != nullptr && timed->device.name != machine.name) timed = nullptr;
  // The rate, or the time that was measured: the table of times has its rate. All fits into 80 columns.
  const int second = timed == nullptr ? 6 : 8;
  std::string text = fmt::format("\n{:<37} {:>8} {:>{}}  limited by\n", "on " + machine.with_article(), "time* us",
                                 timed == nullptr ? "GB/s*" : "measured", second);
  std::string doubts, group;
  std::size_t known = 0, held_up_by_launches = 0;
  for (std::size_t row = 0; row < r.rows.size(); ++row) {
    const outcome& o = r.rows[row];
    if (o.launches.empty() || !o.attempted) continue;
    if (o.group != group) text += "-- " + o.group + '\n';
    group = o.group;
    const model::prediction p = prediction_of(machine, o);
    const std::string name = fmt::format("{} ({})", o.name, role_name(o.as)).substr(0, 37);
    if (!p.unknown.empty()) {
      text += fmt::format("{:<37} {:>8} {:>{}}  not known\n", name, "-", "-", second);
      const std::string reason = fmt::format("Not known: {}.\n", p.unknown);
      if (doubts.find(reason) == std::string::npos) doubts += reason;
      continue;
    }
    ++known;
    held_up_by_launches += p.limit() == "launches" ? 1 : 0;
    const timing* measured = timed != nullptr && timed->rows[row].cold ? &*timed->rows[row].cold : nullptr;
    std::string beside = "-";
    if (measured != nullptr) beside = fmt::format("{:.1f}", measured->median_ms * 1e3);
    if (timed == nullptr && o.bytes > 0) beside = fmt::format("{:.0f}", o.bytes / p.us * 1e-3);
    text += fmt::format("{:<37} {:>8.1f} {:>{}}  {}\n", name, p.us, beside, second, p.limit());
    if (measured != nullptr) doubts += doubt_about(o.name, p, measured->median_ms * 1e3, error);
  }
  if (2 * held_up_by_launches > known)
    doubts += fmt::format("With so few, the launches are most of it: --count {} tells more of the kernels.\n",
                          16 * r.given.count);
  if (!r.predicted_for.note.empty()) doubts += r.predicted_for.note + '\n';
  return text +
         wrapped(doubts +
                 fmt::format("* Predicted from the counts: off by {} % on average, and by less than {} % in nine of "
                             "ten cases (docs/pages/time.md).\n",
                             error.mean_percent, error.ninth_decile_percent));
}

std::string predicted_parts(const model::gpu& on, const outcome& o) {
  if (o.launches.empty()) return {};
  if (!on.measured) return wrapped(on.why_no_times + "\n");
  const model::prediction p = prediction_of(*on.measured, o);
  std::string behind;
  if (p.unknown.empty()) {
    for (const std::string& limit : p.limits()) {
      behind += (behind.empty() ? "" : " ") + model::advice_of(p, limit);
      if (const std::string where = taught_where(limit); !where.empty()) behind += ' ' + where;
    }
    behind += '\n';
  }
  if (!on.note.empty()) behind += on.note + '\n';
  return wrapped(model::parts_text(*on.measured, p)) + wrapped(behind);
}

}  // namespace workbook
