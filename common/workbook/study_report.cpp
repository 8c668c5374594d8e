#include "workbook/study_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace workbook {
namespace {

/// Of the first column.
std::size_t width_of_names(const run_result& r) {
  std::size_t width = 22;
  for (const outcome& o : r.rows) width = std::max(width, o.name.size());
  return width;
}

/// Columns of what the compiler decided; in both tables.
std::vector<column> compiled_columns() {
  const auto fact = [](auto member) {
    return [member](const outcome& o) {
      return o.compiled ? static_cast<double>((*o.compiled).*member) : std::numeric_limits<double>::quiet_NaN();
    };
  };
  return {{"registers", "a thread", fact(&compiled_facts::registers)},
          {"local B", "a thread", fact(&compiled_facts::local_bytes)},
          {"blocks", "an SM", fact(&compiled_facts::blocks_per_multiprocessor)}};
}

/// The time that is 1 for a row: that of the baseline, or of the first row in its group.
double unit_ms(const study& s, const run_result& r, const outcome& row) {
  for (const outcome& o : r.rows) {
    if (o.cold && (row.group.empty() ? o.name == s.baseline : o.group == row.group)) return o.cold->median_ms;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<column> time_columns(const study& s, const run_result& r) {
  const auto ms = [](const outcome& o) {
    return o.cold ? o.cold->median_ms : std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<column> all = {{"time", "us", [ms](const outcome& o) { return 1e3 * ms(o); }},
                             {"time of", "the base", [&, ms](const outcome& o) { return ms(o) / unit_ms(s, r, o); }}};
  bool any_bytes = false;
  for (const outcome& o : r.rows) any_bytes = any_bytes || o.bytes > 0;
  if (any_bytes) {
    all.push_back({"", "GB/s", [ms](const outcome& o) {
                     return o.bytes > 0 ? std::round(o.bytes / ms(o) / 1e6) : std::numeric_limits<double>::quiet_NaN();
                   }});
  }
  return all;
}

}  // namespace

std::string study_rows(const study& s, const run_result& r) {
  const bool gpu = r.device.kind == "gpu";
  std::vector<column> columns = gpu ? time_columns(s, r) : s.counts;
  if (s.shows_compiled) {
    for (column& c : compiled_columns()) columns.push_back(std::move(c));
  }
  const std::size_t name_width = width_of_names(r);
  std::string first = fmt::format("{:<{}} {:<9} {:<7}", "", name_width, "", ""),
              second = fmt::format("{:<{}} {:<9} {:<7}", "kernel", name_width, "role", "right?");
  for (const column& c : columns) {
    first += fmt::format(" {:>9}", c.first);
    second += fmt::format(" {:>9}", c.second);
  }
  std::string text = first + '\n' + second + '\n';
  std::string group;
  for (const outcome& o : r.rows) {
    if (o.group != group) text += "-- " + o.group + '\n';
    group = o.group;
    text += fmt::format("{:<{}} {:<9} {:<7}", o.name, name_width, role_name(o.as), verdict(o));
    for (const column& c : columns) text += fmt::format(" {:>9}", shortly(c.value(o)));
    if (s.shows_compiled && o.compiled && !o.rejected) text += "  " + o.compiled->limiter;
    text += '\n';
  }
  if (s.shows_compiled) text += "The last word is what keeps one more block from a multiprocessor.\n";
  if (gpu && !r.rows.empty() && r.rows.front().cold)
    text += fmt::format("Times with a cold L2, median of {}.\n", r.rows.front().cold->repetitions);
  return text;
}

nlohmann::json as_json(const std::optional<compiled_facts>& compiled) {
  if (!compiled) return {};
  return {{"registers", compiled->registers},
          {"max_threads_per_block", compiled->max_threads_per_block},
          {"local_bytes", compiled->local_bytes},
          {"static_shared_bytes", compiled->static_shared_bytes},
          {"dynamic_shared_bytes", compiled->dynamic_shared_bytes},
          {"blocks_per_multiprocessor", compiled->blocks_per_multiprocessor},
          {"occupancy", compiled->occupancy},
          {"limiter", compiled->limiter}};
}

}  // namespace workbook
