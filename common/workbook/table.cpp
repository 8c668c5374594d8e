#include "workbook/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "workbook/predicted.hpp"
#include "workbook/timer.hpp"
#include "workbook/words.hpp"

namespace workbook {
namespace {

double input_bytes(const problem& p) {
  return with_type(p.type, [](auto* tag) { return static_cast<double>(sizeof(*tag)); }) * static_cast<double>(p.count);
}

/// A printed column to the right of the columns that all tables have.
struct text_column {
  std::string first, second;
  std::size_t width;
  std::function<std::string(const outcome&)> text;
};

/// The parts in which tables differ.
struct layout {
  std::vector<text_column> columns;
  std::function<std::string(const outcome&)> behind;  ///< Text at the end of a row; may be empty.
  std::function<std::string(const outcome&)> below;   ///< Lines under a row; may be empty.
  std::string footer;
};

double cold_ms(const outcome& o) {
  return o.cold ? o.cold->median_ms : NAN;
}

double gb_per_s(double bytes, double ms) {
  return bytes / ms / 1e6;
}

/// Adds a column of numbers.
void add(layout& l, const column& c) {
  const std::size_t width = std::max({std::size_t{9}, c.first.size(), c.second.size()});
  l.columns.push_back(
      {c.first, c.second, width, [value = c.value](const outcome& o) { return format_short(value(o)); }});
}

/// Returns the columns of a table of sums on the emulator, for chapters that define none.
std::vector<column> usual_columns() {
  return {{"adds", "per block", [](const outcome& o) { return per_block(o, "workbook__combines.sum"); }},
          {"conflicts", "per block",
           [](const outcome& o) { return per_block(o, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"); }},
          {"barriers", "per block", [](const outcome& o) { return per_block(o, "workbook__barriers.sum"); }},
          {"instr.", "per elem.", [](const outcome& o) { return per_element(o, "workbook__inst_executed.sum"); }}};
}

layout counts_of_sums(const study& s) {
  layout l;
  for (const column& c : s.counts.empty() ? usual_columns() : s.counts) add(l, c);
  return l;
}

/// Returns warnings about times that are impossible, or that aren't those of the memory.
std::string doubts_about(const outcome& o, const device_facts& device) {
  std::string text;
  if (!o.cold) return text;
  if (device.peak_gb_per_s > 0 && gb_per_s(o.bytes, cold_ms(o)) > device.peak_gb_per_s)
    text += "    above the memory's peak: this is the cache's speed, not the memory's\n";
  if (device.most.launch_us > 0 && cold_ms(o) * 1e3 < device.most.launch_us)
    text += "    below the time of an empty launch, so the measurement is wrong\n";
  return text;
}

/// Returns a description of what the times measure. Empty if there are no times.
std::string timing_text(const run_result& r) {
  const auto timed = std::find_if(r.rows.begin(), r.rows.end(), [](const outcome& o) { return o.cold.has_value(); });
  if (timed == r.rows.end()) return {};
  std::string text = fmt::format("Times: median of {}, {}.\n", timed->cold->repetitions, words_for(start::cold));
  for (const outcome& o : r.rows) {
    if (o.cold && !o.cold->queued)
      text += fmt::format("{} waits for the GPU itself: its times are on an idle GPU.\n", o.name);
  }
  return text;
}

layout times_of_sums(const run_result& r) {
  const device_facts& device = r.device;
  const auto or_dash = [](auto text) {
    return [text](const outcome& o) { return o.cold ? text(o) : std::string("-"); };
  };
  const auto share = [peak = device.peak_gb_per_s](const outcome& o) {
    return peak > 0 ? fmt::format("{:.1f}%", 100 * gb_per_s(o.bytes, cold_ms(o)) / peak) : "-";
  };
  layout l;
  l.columns = {{"", "time (ms)", 10, or_dash([](const outcome& o) { return fmt::format("{:.4f}", cold_ms(o)); })},
               {"", "GB/s", 8,
                or_dash([](const outcome& o) { return format_short(std::round(gb_per_s(o.bytes, cold_ms(o)))); })},
               {"", "peak", 6, or_dash(share)},
               {"", "warm", 8, or_dash([](const outcome& o) {
                  return format_short(std::round(gb_per_s(o.bytes, o.warm->median_ms)));
                })}};
  l.below = [&device](const outcome& o) { return doubts_about(o, device); };
  const ceilings& limits = device.most;
  l.footer = fmt::format(
      "Peak: {:.0f} GB/s by clock and bus width. Measured here: reading {:.0f} GB/s ({:.1f}%), copying {:.0f} GB/s, "
      "an empty launch {:.1f} us, on an idle GPU {:.1f} us (arrays of {} MiB).\n",
      device.peak_gb_per_s, limits.read_gb_per_s, 100 * limits.read_gb_per_s / device.peak_gb_per_s,
      limits.copy_gb_per_s, limits.launch_us, limits.idle_launch_us, limits.array_bytes >> 20);
  l.footer += timing_text(r);
  l.footer += fmt::format("`warm`: GB/s if L2 ({} MiB) holds the data of the previous run.\n", device.l2_bytes >> 20);
  if (input_bytes(r.given) < static_cast<double>(device.l2_bytes))
    l.footer += "The input fits into L2: bandwidth says nothing about the memory at this size.\n";
  return l;
}

/// Returns the time that counts as 1 for a row: the baseline's, or that of the first timed row in the row's group.
double unit_ms(const study& s, const run_result& r, const outcome& row) {
  for (const outcome& o : r.rows) {
    if (o.cold && (row.group.empty() ? o.name == s.baseline : o.group == row.group)) return cold_ms(o);
  }
  return NAN;
}

std::vector<column> times_side_by_side(const study& s, const run_result& r) {
  std::vector<column> all = {{"time", "us", [](const outcome& o) { return 1e3 * cold_ms(o); }},
                             {"time of", "the base", [&](const outcome& o) { return cold_ms(o) / unit_ms(s, r, o); }}};
  if (std::any_of(r.rows.begin(), r.rows.end(), [](const outcome& o) { return o.bytes > 0; })) {
    all.push_back(
        {"", "GB/s", [](const outcome& o) { return o.bytes > 0 ? std::round(gb_per_s(o.bytes, cold_ms(o))) : NAN; }});
  }
  return all;
}

/// Returns columns with the compiler's decisions, for tables of counts and tables of times.
std::vector<column> compiled_columns() {
  const auto fact = [](auto member) {
    return [member](const outcome& o) { return o.compiled ? static_cast<double>((*o.compiled).*member) : NAN; };
  };
  return {{"registers", "per thread", fact(&compiled_facts::registers)},
          {"local B", "per thread", fact(&compiled_facts::local_bytes)},
          {"blocks", "per SM", fact(&compiled_facts::blocks_per_multiprocessor)}};
}

layout side_by_side(const study& s, const run_result& r) {
  const bool gpu = r.device.kind == "gpu";
  layout l;
  for (const column& c : gpu ? times_side_by_side(s, r) : s.counts) add(l, c);
  if (s.shows_compiled) {
    for (const column& c : compiled_columns()) add(l, c);
    l.behind = [](const outcome& o) { return o.compiled && !o.rejected ? "  " + o.compiled->limiter : std::string(); };
    l.footer = "The last column is the resource that prevents one more block on an SM.\n";
  }
  if (gpu) l.footer += timing_text(r);
  return l;
}

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 1) + "~";
}

/// Returns the emulator's table for beginners: three columns, one of which is a count, and the times at a size that was
/// not run.
std::string one_count_text(const chapter& c, const run_result& r) {
  const column& count = *c.table.first_count;
  const std::size_t width = std::max({std::size_t{9}, count.first.size(), count.second.size()});
  const scaled_columns scaled(r);
  const auto named = [](const outcome& o) { return fmt::format("{} ({})", o.name, role_name(o.as)); };
  std::size_t name_width = 0;
  for (const outcome& o : r.rows) name_width = std::max(name_width, named(o).size());
  name_width = std::min(name_width, screen_columns - width - 9 - scaled.width());
  std::string text = fmt::format("{:{}}{:>{}}{}\n", "", name_width + 9, count.first, width, scaled.first());
  text += fmt::format("{:<{}} {:<7} {:>{}}{}\n", "kernel", name_width, "right?", count.second, width, scaled.second());
  for (std::size_t row = 0; row < r.rows.size(); ++row) {
    const outcome& o = r.rows[row];
    // A value that rounds to 0 is shown as 0, because a power of ten would confuse beginners.
    const double value = count.value(o);
    text += fmt::format("{:<{}} {:<7} {:>{}}{}\n", cut(named(o), name_width), name_width, verdict(o),
                        format_short(std::fabs(value) < 0.005 ? 0 : value), width, scaled.of_row(row));
  }
  return text + scaled.below() + fmt::format("`make chapter{} ARGS=--all` shows every count.\n", c.number);
}

std::string rows_text(const layout& l, const std::vector<outcome>& rows) {
  std::size_t name_width = 22;
  for (const outcome& o : rows) name_width = std::clamp<std::size_t>(o.name.size(), name_width, 40);
  std::string first = fmt::format("{:<{}} {:<9} {:<7}", "", name_width, "", "");
  std::string second = fmt::format("{:<{}} {:<9} {:<7}", "kernel", name_width, "role", "right?");
  bool two_lines = false;
  for (const text_column& c : l.columns) {
    first += fmt::format(" {:>{}}", c.first, c.width);
    second += fmt::format(" {:>{}}", c.second, c.width);
    two_lines = two_lines || !c.first.empty();
  }
  std::string text = (two_lines ? first + '\n' : "") + second + '\n';
  std::string group;
  for (const outcome& o : rows) {
    if (o.group != group) text += "-- " + o.group + '\n';
    group = o.group;
    text += fmt::format("{:<{}} {:<9} {:<7}", cut(o.name, name_width), name_width, role_name(o.as), verdict(o));
    for (const text_column& c : l.columns) text += fmt::format(" {:>{}}", c.text(o), c.width);
    if (l.behind) text += l.behind(o);
    text += '\n';
    if (l.below) text += l.below(o);
  }
  return text + wrapped(l.footer);
}

}  // namespace

std::string input_text(const study& s, const run_result& r) {
  const std::string counted = s.counted.empty() ? plural(r.given.type) : s.counted + " of " + plural(r.given.type);
  return fmt::format("{} {}, blocks of {} threads, seed {}, on {} {}{}", r.given.count, counted, block_text(r.given),
                     r.given.seed, r.device.kind == "gpu" ? "the GPU" : "the emulator as", r.device.name,
                     s.gpus_in_words ? s.gpus_in_words(r.given, r.device) : std::string());
}

std::string notes(const chapter& c, const run_result& r) {
  std::string text;
  for (const outcome& o : r.rows) {
    text += o.attempted ? words_for(o)
                        : fmt::format("\nYour kernel is as the chapter gave it. Edit {} in the chapter's folder.\n",
                                      c.exercise);
  }
  return text;
}

std::string table_text(const chapter& c, const run_result& r, bool all_counts, const run_result* timed) {
  const std::string of_what = c.table.one_sum ? wrapped(input_text(c.table, r)) : input_text(c.table, r);
  const std::string above = fmt::format("Chapter {}: {}\n{}\n\n", c.number, c.title, of_what);
  if (c.table.first_count && !all_counts && r.device.kind != "gpu") return above + one_count_text(c, r) + notes(c, r);
  const layout l = !c.table.one_sum         ? side_by_side(c.table, r)
                   : r.device.kind == "gpu" ? times_of_sums(r)
                                            : counts_of_sums(c.table);
  const model::chapter_error error = model::error_of_chapter(c.number);
  std::string times;
  if (r.device.kind != "gpu" && c.table.predicts)
    times = timed == nullptr && !r.scaled.empty() ? scaled_table(r, error) : predicted_table(r, timed, error);
  return above + rows_text(l, r.rows) + times + notes(c, r);
}

std::string text_below(const chapter& c, const goal_state& g, bool strict) {
  const std::string goal = goal_text(c.aim, g, strict ? std::nullopt : std::optional(c.number));
  return c.remark.empty() ? goal : goal + '\n' + wrapped(c.remark) + '\n';
}

}  // namespace workbook
