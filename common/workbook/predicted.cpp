#include "workbook/predicted.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "timing/model/words.hpp"
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

/// Returns a sentence about the chapters that teach how to overcome a limit. Empty if there are none.
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

/// Returns a warning if prediction and measurement differ by more than the model's error. It names the terms that may
/// be wrong.
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

std::string us_text(std::optional<double> us) {
  return us ? fmt::format("{:.{}f}", *us, *us < 100 ? 1 : 0) : "-";
}

std::optional<double> us_of(const std::optional<model::prediction>& p) {
  return p ? std::optional(p->us) : std::nullopt;
}

std::string error_text(const model::chapter_error& error) {
  return fmt::format(
      "* Predicted from the counts: off by {} % on average, and by less than {} % in nine of ten cases "
      "(docs/pages/time.md).\n",
      error.mean_percent, error.ninth_decile_percent);
}

}  // namespace

std::string predicted_table(const run_result& r, const run_result* timed, const model::chapter_error& error) {
  const bool ran = std::any_of(r.rows.begin(), r.rows.end(), [](const outcome& o) { return !o.launches.empty(); });
  if (!ran) return {};
  if (!r.predicted_for.measured) return wrapped("\n" + r.predicted_for.why_no_times + "\n");
  const model::machine& machine = *r.predicted_for.measured;
  if (timed != nullptr && timed->device.name != machine.name) timed = nullptr;
  // Shows the measured time, or the rate if there is none: the table of times already has the rate, and a line has only
  // 80 columns.
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
    doubts +=
        fmt::format("With few elements, the launches dominate the time: --count {} shows more about the kernels.\n",
                    16 * r.given.count);
  if (!r.predicted_for.note.empty()) doubts += r.predicted_for.note + '\n';
  return text + wrapped(doubts + error_text(error));
}

scaled_columns::scaled_columns(const run_result& r) : r_(r) {}

std::size_t scaled_columns::width() const {
  return r_.scaled.empty() ? 0 : 19;
}

std::string scaled_columns::first() const {
  if (r_.scaled.empty()) return {};
  std::string of_what = elements_text(r_.scaled.front().count, r_.given.type);
  constexpr std::size_t longest = 14;
  if (of_what.size() > longest) of_what.resize(of_what.find(' '));
  return fmt::format(" {:>18}", of_what + ", us");
}

std::string scaled_columns::second() const {
  return r_.scaled.empty() ? std::string() : fmt::format(" {:>9} {:>8}", "predicted", "measured");
}

std::string scaled_columns::of_row(std::size_t row) const {
  if (r_.scaled.empty()) return {};
  const scaled_time& one = r_.scaled[row];
  return fmt::format(" {:>9} {:>8}", us_text(us_of(one.predicted)), us_text(one.measured_us));
}

std::string scaled_columns::below() const {
  if (r_.scaled.empty()) return {};
  return wrapped(fmt::format("Times: for {}, predicted from the counts; off by {} % on average (docs/pages/time.md).\n",
                             r_.predicted_for.measured->with_article(), model::mean_error_percent) +
                 (r_.predicted_for.note.empty() ? "" : r_.predicted_for.note + '\n'));
}

std::string scaled_table(const run_result& r, const model::chapter_error& error) {
  if (std::ranges::all_of(r.rows, [](const outcome& o) { return o.launches.empty(); })) return {};
  const model::machine& machine = *r.predicted_for.measured;
  std::vector<model::prediction> of_run;
  for (const outcome& o : r.rows) of_run.push_back(prediction_of(machine, o));
  const auto is_known = [](const model::prediction& p) { return p.unknown.empty(); };
  const auto by_launches = [&](const model::prediction& p) { return is_known(p) && p.limit() == "launches"; };
  const bool shows_run = 2 * std::ranges::count_if(of_run, by_launches) <= std::ranges::count_if(of_run, is_known);
  const std::string of_run_text = elements_text(r.given.count, r.given.type);
  const std::string of_scaled_text = elements_text(r.scaled.front().count, r.given.type);
  const auto line = [&](const std::string& name, const std::string& run, const std::string& scaled,
                        const std::string& measured) {
    return fmt::format("{:<34.34}{} {:>{}} {:>8}  ", name,
                       shows_run ? fmt::format(" {:>{}}", run, of_run_text.size()) : "", scaled, of_scaled_text.size(),
                       measured);
  };
  std::string text =
      "\n" + line(fmt::format("on {}, us* for", machine.with_article()), of_run_text, of_scaled_text, "measured") +
      "limited by\n";
  std::string below;
  for (std::size_t row = 0; row < r.rows.size(); ++row) {
    const outcome& o = r.rows[row];
    if (o.launches.empty() || !o.attempted) continue;
    const model::prediction& p = of_run[row];
    const scaled_time& scaled = r.scaled[row];
    if (!is_known(p)) below += fmt::format("{}: not known, because {}.\n", o.name, p.unknown);
    const std::string figures =
        line(fmt::format("{} ({})", o.name, role_name(o.as)), us_text(is_known(p) ? std::optional(p.us) : std::nullopt),
             us_text(us_of(scaled.predicted)), us_text(scaled.measured_us));
    std::string limit = scaled.predicted ? scaled.predicted->limit() : "-";
    if (figures.size() + limit.size() > screen_columns) limit = scaled.predicted->limits().front();
    text += figures + limit + '\n';
  }
  if (!r.predicted_for.note.empty()) below += r.predicted_for.note + '\n';
  return text + wrapped(below + error_text(error));
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
