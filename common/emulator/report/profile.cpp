#include "emulator/report/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "emulator/report/counts.hpp"
#include "host/source_text.hpp"
#include "host/terminal.hpp"

namespace emulator::report {
namespace {

using host::fit, host::read_source, host::shown_path, host::wrap;
using observers::counter;
using std::string;

/// If there are more lines than this without a count between two counted ones, they are left out.
constexpr std::uint32_t longest_gap = 8;
/// The kernel's name is looked for up to this number of lines above the first counted line.
constexpr std::uint32_t longest_signature = 6;

/// A column of counts.
struct column {
  const char* top;
  const char* bottom;
  std::size_t width;
  string (*cell)(const counter_map& of, double blocks);  ///< Returns an empty string if there is nothing to show.
  bool always;                                           ///< Show it even if it is empty in all lines.
};

string ratio(double sum, double of) {
  return of == 0 ? string() : format_short(sum / of);
}

string counted(double value, double blocks) {
  return value == 0 ? string() : format_short(value / blocks);
}

constexpr column columns[] = {
    {"warp", "instr", 6,
     [](const counter_map& of, double blocks) { return counted(count_of(of, counter::warp_instructions), blocks); },
     true},
    {"", "lanes", 5,
     [](const counter_map& of, double) {
       const double executed = count_of(of, counter::warp_instructions);
       return executed == 0 ? string() : fmt::format("{:.1f}", count_of(of, counter::thread_instructions) / executed);
     },
     true},
    {"sect/", "req", 5,
     [](const counter_map& of, double) {
       const global_cost cost = costlier_access(of);
       return ratio(cost.sectors, cost.requests);
     },
     false},
    {"", "ideal", 5,
     [](const counter_map& of, double) {
       const global_cost cost = costlier_access(of);
       return ratio(cost.ideal, cost.requests);
     },
     false},
    {"bank", "confl", 5,
     [](const counter_map& of, double blocks) {
       return counted(sum_of(of, {counter::shared_bank_conflicts, counter::shared_atomic_bank_conflicts}), blocks);
     },
     false},
    {"div.", "bran", 4,
     [](const counter_map& of, double blocks) { return counted(count_of(of, counter::divergent_branches), blocks); },
     false},
    {"bar-", "riers", 5,
     [](const counter_map& of, double blocks) { return counted(count_of(of, counter::block_barriers), blocks); },
     false},
    {"atom-", "ics", 5,
     [](const counter_map& of, double blocks) {
       return counted(sum_of(of, {counter::global_atomic_requests, counter::global_reduction_requests,
                                  counter::shared_atomics, counter::local_atomics}),
                      blocks);
     },
     false},
    {"local", "ld+st", 5,
     [](const counter_map& of, double blocks) {
       return counted(sum_of(of, {counter::local_loads, counter::local_stores}), blocks);
     },
     false},
};

/// Formats the table of one launch.
class table {
 public:
  table(const launch_report& launch, const profile_style& style, const std::vector<diagnosis>& found)
      : launch_(launch), style_(style), blocks_(count_of(launch.counters, counter::blocks)) {
    for (const line_report& l : launch.lines) {
      if (!launch.file.empty() && l.file == launch.file && l.line != 0)
        own_[l.line] = l.counters;
      else
        fold(l);
    }
    for (const diagnosis& d : found) {
      if (d.file == launch.file) marked_.insert(d.line);
    }
    for (const column& c : columns) {
      if (c.always || std::any_of(launch.lines.begin(), launch.lines.end(),
                                  [&](const line_report& l) { return !c.cell(l.counters, blocks_).empty(); }))
        shown_.push_back(&c);
    }
  }

  [[nodiscard]] string text() const {
    string text = head();
    const auto source = read_source(launch_.file);
    if (!source && !own_.empty()) {
      text += fmt::format("The source {} cannot be read, so lines are shown without their text.\n", launch_.file);
    }
    text += source ? with_source(*source) : without_source();
    for (const auto& [name, folded] : elsewhere_) {
      text +=
          row(0, folded.counters,
              fmt::format("+ {}{}", name, folded.lines == 0 ? string() : fmt::format(" (lines: {})", folded.lines)));
    }
    return text;
  }

 private:
  struct folded_file {
    counter_map counters;
    std::size_t lines = 0;
  };

  void fold(const line_report& l) {
    folded_file& into = elsewhere_[l.file.empty() || l.line == 0 ? "code without a line" : shown_path(l.file)];
    for (const auto& [name, value] : l.counters) into.counters[name] += value;
    into.lines += l.line != 0 ? 1 : 0;
  }

  [[nodiscard]] std::size_t prefix() const {
    std::size_t width = 6;  // mark, line, blank
    for (const column* c : shown_) width += c->width + 1;
    return width + 1;
  }
  [[nodiscard]] std::size_t room() const { return style_.width - std::min(style_.width - 10, prefix()); }

  [[nodiscard]] string head() const {
    string top(6, ' '), bottom = fmt::format("{:>5} ", "line");
    for (const column* c : shown_) {
      top += fmt::format("{:>{}} ", c->top, c->width);
      bottom += fmt::format("{:>{}} ", c->bottom, c->width);
    }
    return finish(top) + finish(bottom + " source");
  }

  [[nodiscard]] static string finish(string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text + "\n";
  }

  /// \param line  0: no number
  [[nodiscard]] string row(std::uint32_t line, const counter_map& counters, const string& source) const {
    const bool marked = line != 0 && marked_.count(line) != 0;
    string first = fmt::format("{}{:>4} ", marked ? '>' : ' ', line == 0 ? string() : fmt::to_string(line));
    for (const column* c : shown_) first += fmt::format("{:>{}} ", c->cell(counters, blocks_), c->width);
    string text;
    for (const string& part : fit(source, room())) {
      text += finish((text.empty() ? first : string(first.size(), ' ')) + " " + part);
    }
    if (!marked || !style_.color) return text;
    text.pop_back();
    return "\033[1m" + text + "\033[0m\n";
  }

  [[nodiscard]] string without_source() const {
    string text;
    for (const auto& [line, counters] : own_) text += row(line, counters, "");
    return text;
  }

  [[nodiscard]] string with_source(const std::vector<string>& source) const {
    if (own_.empty()) return {};
    const std::uint32_t first = first_line(source, own_.begin()->first);
    std::uint32_t last = own_.rbegin()->first;
    if (last < source.size() && source[last] == "}") ++last;
    const std::size_t indentation = common_indentation(source, first, last);
    string text;
    for (std::uint32_t line = first; line <= last; ++line) {
      const auto counted_here = own_.find(line);
      if (counted_here == own_.end()) {
        const auto next = own_.upper_bound(line);
        const std::uint32_t until = next == own_.end() ? last + 1 : next->first;
        if (until - line > longest_gap) {
          text += fmt::format("{:>5}\n", "...");
          line = until - 1;
          continue;
        }
      }
      const string shown = line <= source.size() ? source[line - 1] : "(the file has no such line)";
      text += row(line, counted_here == own_.end() ? counter_map() : counted_here->second,
                  shown.size() > indentation ? shown.substr(indentation) : shown);
    }
    return text;
  }

  /// Returns the first line of the kernel's signature if it is a few lines above the first counted line; else that
  /// line.
  static std::uint32_t first_line(const std::vector<string>& source, std::uint32_t counted_line) {
    for (std::uint32_t line = counted_line; line + longest_signature > counted_line && line > 0; --line) {
      if (line <= source.size() && source[line - 1].find("__global__") != string::npos) return line;
    }
    return counted_line;
  }

  static std::size_t common_indentation(const std::vector<string>& source, std::uint32_t first, std::uint32_t last) {
    std::size_t least = string::npos;
    for (std::uint32_t line = first; line <= last && line <= source.size(); ++line) {
      if (!source[line - 1].empty()) least = std::min(least, source[line - 1].find_first_not_of(' '));
    }
    return least == string::npos ? 0 : least;
  }

  const launch_report& launch_;
  const profile_style& style_;
  double blocks_;
  std::map<std::uint32_t, counter_map> own_;  ///< Indexed by the line of the kernel's own file.
  std::map<string, folded_file> elsewhere_;
  std::set<std::uint32_t> marked_;
  std::vector<const column*> shown_;
};

string diagnosis_text(const launch_report& launch, const std::vector<diagnosis>& found, const profile_style& style) {
  string text = "\nDiagnosis\n";
  if (found.empty()) return text + "  These rules found nothing unusual.\n";
  for (const diagnosis& d : found) {
    string place;
    if (d.line != 0 && d.file != launch.file) place = std::filesystem::path(d.file).filename().string() + ", ";
    if (d.line != 0) place += fmt::format("line {}: ", d.line);
    string sentence = place + d.message + ".";
    if (const string advice = style.advice ? style.advice(d) : string(); !advice.empty()) sentence += " " + advice;
    string indent = "  ";
    for (const string& part : wrap(sentence, style.width - 4)) {
      text += indent + part + "\n";
      indent = "    ";
    }
  }
  return text;
}

string title(const chosen_launch& chosen, const profile_style& style) {
  const launch_report& l = *chosen.launch;
  string text;
  for (const string& part : fit(l.kernel, style.width)) text += part + "\n";
  const double blocks = count_of(l.counters, counter::blocks);
  if (blocks != 0) {
    const double warps = count_of(l.counters, counter::warps) / blocks;
    text += fmt::format("{} block{} of {} warp{}; counts by line are averages per block\n", blocks,
                        blocks == 1 ? "" : "s", format_short(warps), warps == 1 ? "" : "s");
  }
  if (chosen.of > 1)
    text +=
        fmt::format("launch {} of {} of this kernel: the one with the most instructions\n", chosen.number, chosen.of);
  if (!l.completed) text += "the kernel was stopped before its end: the counts are those up to that point\n";
  if (!l.file.empty()) text += shown_path(l.file) + "\n";
  return text;
}

}  // namespace

std::vector<chosen_launch> choose_launches(std::span<const launch_report> launches) {
  std::vector<chosen_launch> chosen;
  for (const launch_report& l : launches) {
    const string& name = l.mangled.empty() ? l.kernel : l.mangled;
    const auto same = std::find_if(chosen.begin(), chosen.end(), [&](const chosen_launch& c) {
      return (c.launch->mangled.empty() ? c.launch->kernel : c.launch->mangled) == name;
    });
    if (same == chosen.end()) {
      chosen.push_back({&l, 1, 1});
      continue;
    }
    ++same->of;
    if (count_of(l.counters, counter::warp_instructions) >
        count_of(same->launch->counters, counter::warp_instructions)) {
      same->launch = &l;
      same->number = same->of;
    }
  }
  return chosen;
}

string profile_text(const chosen_launch& chosen, const profile_style& style) {
  const launch_report& launch = *chosen.launch;
  string text = title(chosen, style) + "\n";
  if (launch.lines.empty()) return text + "Nothing was counted.\n";
  const std::vector<diagnosis> found = diagnose(launch);
  return text + table(launch, style, found).text() + "\n" + sections_text(launch) +
         diagnosis_text(launch, found, style);
}

string profile_text(std::span<const launch_report> launches, const profile_style& style) {
  if (launches.empty()) return "No kernel was launched: there is nothing to profile.\n";
  string text;
  for (const chosen_launch& chosen : choose_launches(launches)) {
    if (!text.empty()) text += "\n";
    text += profile_text(chosen, style);
  }
  return text;
}

profile_style style_for(int file_descriptor) {
  profile_style style;
  style.width = std::clamp<std::size_t>(host::terminal_columns(file_descriptor).value_or(style.width), 80, 120);
  style.color = host::takes_color(file_descriptor);
  return style;
}

}  // namespace emulator::report
