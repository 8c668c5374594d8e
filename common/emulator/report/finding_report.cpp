#include "emulator/report/finding_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "emulator/report/causes.hpp"
#include "host/source_text.hpp"
#include "host/terminal.hpp"

namespace emulator::report {
namespace {

using lines_of_file = std::vector<std::string>;

/// The escape sequences of the parts of a report.
struct palette {
  const char *error, *note, *strong, *frame, *end;
};
constexpr palette colors = {"\033[1;31m", "\033[1;36m", "\033[1m", "\033[1;34m", "\033[0m"};
constexpr palette no_colors = {"", "", "", "", ""};

/// Returns a short name of what is wrong: "race" for all races, which the last line of a finding tells apart.
std::string_view tag_of(const finding& f) {
  return f.check() == check_kind::racecheck ? std::string_view("race") : name_of(f.kind);
}

/// Returns the path from the current folder on if the file is below it; otherwise the whole path.
std::string path_from_here(const std::string& file) {
  std::error_code failed;
  const std::string here = std::filesystem::current_path(failed).string() + "/";
  return !failed && file.starts_with(here) ? file.substr(here.size()) : file;
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// A part of a source line, in columns from 0.
struct columns_of_line {
  std::size_t first = 0, count = 0;
};

/// Returns the expression; if its place is unknown, the element `object[…]` if the line has only one; else the line's
/// code without blanks and comment.
columns_of_line marked_part(const std::string& line, const std::string& object, const source_part& expression) {
  if (expression.column != 0 && expression.column - 1 + expression.width <= line.size()) {
    const std::size_t at = expression.column - 1;
    return {host::columns_of(line.substr(0, at)), host::columns_of(line.substr(at, expression.width))};
  }
  const std::size_t comment = line.find("//");
  const std::string code = line.substr(0, comment);
  const std::size_t first = std::min(code.find_first_not_of(' '), code.size());
  const std::size_t last = code.find_last_not_of(' ');
  columns_of_line whole = {host::columns_of(code.substr(0, first)), 0};
  if (last != std::string::npos) whole.count = host::columns_of(code.substr(first, last + 1 - first));
  if (object.empty()) return whole;
  const std::string wanted = object + "[";
  const std::size_t at = code.find(wanted);
  if (at == std::string::npos || code.find(wanted, at + 1) != std::string::npos) return whole;
  if (at > 0 && host::in_name(code[at - 1])) return whole;
  std::size_t end = at + object.size();
  for (int depth = 0; end < code.size(); ++end) {
    if (code[end] == '[') ++depth;
    if (code[end] == ']' && --depth == 0 && (end + 1 == code.size() || code[end + 1] != '[')) break;
  }
  if (end == code.size()) return whole;
  return {host::columns_of(code.substr(0, at)), host::columns_of(code.substr(at, end + 1 - at))};
}

/// A place that is shown: a line, and what happens there.
struct place {
  std::uint32_t line = 0;
  std::string label;
  source_part expression;
  bool main = true;
};

/// Prints findings one after the other.
class printer {
 public:
  explicit printer(const finding_style& style) : style_(style), ink_(style.color ? colors : no_colors) {}

  void print(const cause& c, const std::vector<cause>& following, bool is_note) {
    const finding& f = c.first;
    const message_parts& parts = f.parts;
    if (!text_.empty()) text_ += "\n";
    heading(f, is_note);
    margin_ = std::max(width_of(f.line), width_of(f.other_line));
    places(f);
    if (!parts.headline.empty()) item("cause", parts.reason);
    item("help", f.cure.empty() ? parts.help : f.cure);
    for (std::size_t begin = 0; begin < f.detail.size();) {
      const std::size_t end = std::min(f.detail.find('\n', begin), f.detail.size());
      item(begin == 0 ? "note" : "", f.detail.substr(begin, end - begin));
      begin = end + 1;
    }
    if (!following.empty()) item("note", followers(f, following));
    item(name_of(f.check()), std::string(name_of(f.kind)) + frequency(c));
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  static std::size_t width_of(std::uint32_t line) { return line == 0 ? 1 : std::to_string(line).size(); }

  void heading(const finding& f, bool is_note) {
    const std::string tag = fmt::format("{}[{}]", is_note ? "note" : "error", tag_of(f));
    const std::string& sentence = f.parts.headline.empty() ? f.message : f.parts.headline;
    std::vector<std::string> lines = host::wrap(tag + ": " + sentence, style_.width - 4);
    // The tag has blanks, but it never fills a line.
    lines[0] = fmt::format("{}{}{}{}{}{}", is_note ? ink_.note : ink_.error, tag, ink_.end, ink_.strong,
                           lines[0].substr(std::min(tag.size(), lines[0].size())), ink_.end);
    text_ += lines[0] + "\n";
    for (std::size_t k = 1; k < lines.size(); ++k)
      text_ += fmt::format("    {}{}{}\n", ink_.strong, lines[k], ink_.end);
  }

  /// Returns ", in block 3 of reduce(int*)".
  static std::string where(const finding& f) {
    if (f.kernel.empty()) return {};
    return fmt::format(", in {}{}", f.parts.block.empty() ? "" : f.parts.block + " of ", short_kernel_name(f.kernel));
  }

  /// Returns ":9" if the column of the expression is known. Where the line has tabs, editors count differently.
  [[nodiscard]] std::string column_of(const std::string& file, std::uint32_t line, const source_part& part) const {
    if (part.column == 0) return {};
    std::ifstream source(file);
    std::string text;
    for (std::uint32_t k = 0; k < line; ++k)
      if (!std::getline(source, text)) return {};
    return text.find('\t') == std::string::npos ? fmt::format(":{}", part.column) : std::string();
  }

  void arrow(std::string_view sign, const std::string& file, std::uint32_t line, const source_part& part,
             const std::string& more) {
    const std::string place = fmt::format("{}:{}{}", path_from_here(file), line, column_of(file, line, part));
    const bool fits = margin_ + 5 + host::columns_of(place) + host::columns_of(more) <= style_.width;
    text_ += fmt::format("{}{}{}{} {}{}\n", std::string(margin_, ' '), ink_.frame, sign, ink_.end, place,
                         fits ? more : std::string());
    if (!fits && !more.empty()) text_ += fmt::format("{}    {}\n", std::string(margin_, ' '), more.substr(2));
  }

  void places(const finding& f) {
    if (f.line == 0) {
      if (!f.kernel.empty())
        text_ += fmt::format("{}{}-->{} {}\n", std::string(margin_, ' '), ink_.frame, ink_.end, where(f).substr(2));
      if (!f.parts.label.empty()) item("note", f.parts.label);
      return;
    }
    arrow("-->", f.file, f.line, f.parts.here, where(f));
    const bool two = f.other_line != 0 && (f.other_line != f.line || f.other_file != f.file);
    std::vector<place> here = {{f.line, f.parts.label, f.parts.here, true}};
    if (two && f.other_file == f.file) here.push_back({f.other_line, f.parts.other_label, f.parts.there, false});
    std::ranges::sort(here, {}, &place::line);
    excerpt(f.file, here, f.object);
    if (two && f.other_file != f.file) {
      arrow(":::", f.other_file, f.other_line, f.parts.there, "");
      excerpt(f.other_file, {{f.other_line, f.parts.other_label, f.parts.there, false}}, f.object);
    }
  }

  void excerpt(const std::string& file, const std::vector<place>& shown, const std::string& object) {
    const lines_of_file* source = source_of(file);
    std::uint32_t last = 0;
    for (const place& one : shown) {
      if (source == nullptr || one.line > source->size()) {
        if (!one.label.empty()) item(fmt::format("line {}", one.line), one.label);
        continue;
      }
      if (last != 0 && one.line > last + 1) text_ += fmt::format("{}...{}\n", ink_.frame, ink_.end);
      last = one.line;
      source_line((*source)[one.line - 1], one, object);
    }
  }

  void source_line(const std::string& line, const place& one, const std::string& object) {
    const std::size_t room = style_.width - margin_ - 3;
    std::vector<std::string> parts = host::fit(line, room - 2);
    const bool whole = parts.size() == 1;
    text_ += fmt::format("{}{:>{}} |{} {}{}\n", ink_.frame, one.line, margin_, ink_.end, parts[0], whole ? "" : " …");
    const columns_of_line mark = marked_part(parts[0], whole ? object : std::string(), one.expression);
    const std::string line_below =
        std::string(mark.first, ' ') + std::string(std::max<std::size_t>(1, mark.count), one.main ? '^' : '-');
    const char* const ink = one.main ? ink_.error : ink_.frame;
    const std::string margin = fmt::format("{}{} |{} ", ink_.frame, std::string(margin_, ' '), ink_.end);
    const bool fits = host::columns_of(line_below) + 1 + host::columns_of(one.label) <= room;
    text_ += fmt::format("{}{}{}{}{}\n", margin, ink, line_below, fits && !one.label.empty() ? " " + one.label : "",
                         ink_.end);
    if (fits) return;
    // Below the mark if it fits there, else as far to the right as it fits.
    const std::size_t label = host::columns_of(one.label);
    const std::size_t indent = std::min(mark.first, label <= room ? room - label : 0);
    for (const std::string& part : host::wrap(one.label, room - indent))
      text_ += fmt::format("{}{}{}{}{}\n", margin, ink, std::string(indent, ' '), part, ink_.end);
  }

  /// Prints "   = help: …"; without a name, the text continues the item before.
  void item(std::string_view name, const std::string& text) {
    if (text.empty()) return;
    const std::string first = name.empty() ? std::string(margin_ + 5, ' ')
                                           : fmt::format("{}{}= {}{}{}:{} ", std::string(margin_ + 1, ' '), ink_.frame,
                                                         ink_.end, ink_.strong, name, ink_.end);
    const std::size_t taken = margin_ + 3 + name.size() + 2;
    const std::string indent(margin_ + 5, ' ');
    std::vector<std::string> lines = host::wrap(text, style_.width - std::max(taken, indent.size()));
    for (std::size_t k = 0; k < lines.size(); ++k) text_ += fmt::format("{}{}\n", k == 0 ? first : indent, lines[k]);
  }

  /// Returns "2 findings follow from this one: race in line 31, uninitialised shared memory in line 35".
  static std::string followers(const finding& root, const std::vector<cause>& following) {
    std::vector<std::string_view> tags;
    for (const cause& c : following)
      if (std::find(tags.begin(), tags.end(), tag_of(c.first)) == tags.end()) tags.push_back(tag_of(c.first));
    std::string text = following.size() == 1 ? "1 finding follows from this one: "
                                             : fmt::format("{} findings follow from this one: ", following.size());
    for (const std::string_view tag : tags) {
      std::set<std::uint32_t> lines;
      std::string elsewhere;
      for (const cause& c : following) {
        if (tag_of(c.first) != tag || c.first.line == 0) continue;
        if (c.first.file == root.file)
          lines.insert(c.first.line);
        else
          elsewhere += fmt::format(", {}:{}", path_from_here(c.first.file), c.first.line);
      }
      if (tag != tags[0]) text += "; ";
      text += tag;
      if (!lines.empty()) text += fmt::format(" in line{} {}", lines.size() == 1 ? "" : "s", fmt::join(lines, ", "));
      text += elsewhere;
    }
    return text;
  }

  /// Returns ", 12 times, in 3 launches: 1, 2, 3 …".
  static std::string frequency(const cause& c) {
    std::string text = c.first.count > 1 ? fmt::format(", {} times", c.first.count) : std::string();
    if (c.launches < 2) return text;
    text += fmt::format(", in {} launches: ", c.launches);
    for (const occurrence& o : c.occurrences)
      text += fmt::format("{}{}", &o == c.occurrences.data() ? "" : ", ", o.launch);
    return text + (c.launches > c.occurrences.size() ? " …" : "");
  }

  const lines_of_file* source_of(const std::string& file) {
    const auto [at, is_new] = sources_.try_emplace(file);
    if (is_new) at->second = host::read_source(file);
    return at->second ? &*at->second : nullptr;
  }

  const finding_style& style_;
  const palette& ink_;
  std::size_t margin_ = 1;  ///< Columns of line numbers.
  std::map<std::string, std::optional<lines_of_file>> sources_;
  std::string text_;
};

/// Returns true if a launch of the kernel has so many threads that an index of 32 bits is close to its limit.
bool is_close_to_overflow(const std::vector<launch_report>& launches, const std::string& kernel) {
  constexpr double limit = 2147483648.0;  // 2^31: the index may be signed
  return std::any_of(launches.begin(), launches.end(), [&](const launch_report& l) {
    double threads = 1;
    for (int k = 0; k < 3; ++k) threads *= static_cast<double>(l.grid[k]) * l.block[k];
    return l.kernel == kernel && threads * close_to_overflow >= limit;
  });
}

/// Splits the notes into those that are printed and those that aren't.
std::vector<cause> notes_to_print(const std::vector<launch_report>& launches, const finding_style& style,
                                  std::size_t& left_out) {
  std::vector<cause> notes = causes_of_notes(launches);
  const std::size_t all = notes.size();
  if (!style.notes) {
    std::erase_if(notes, [&](const cause& c) {
      return c.first.kind != finding_kind::narrow_index || !is_close_to_overflow(launches, c.first.kernel);
    });
  }
  left_out = all - notes.size();
  return notes;
}

}  // namespace

finding_style finding_style_for(int file_descriptor, bool notes) {
  finding_style style;
  style.width = std::clamp<std::size_t>(host::terminal_columns(file_descriptor).value_or(100), 60, 100);
  style.color = host::takes_color(file_descriptor);
  style.notes = notes;
  return style;
}

std::string findings_text(const std::vector<launch_report>& launches, const std::vector<finding>& in_calls,
                          const finding_style& style) {
  printer out(style);
  for (const root_cause& one : root_causes_of(launches, in_calls)) out.print(one.root, one.following, false);
  std::size_t left_out = 0;
  for (const cause& note : notes_to_print(launches, style, left_out)) out.print(note, {}, true);
  std::string text = out.take();
  std::set<std::string> reasons;
  for (const launch_report& launch : launches)
    if (!launch.without_orders.empty() && reasons.insert(launch.without_orders).second)
      text += fmt::format("note: other orders: {}\n", launch.without_orders);
  return text;
}

std::string summary_line(const std::vector<launch_report>& launches, const std::vector<finding>& in_calls,
                         unsigned checks, double seconds, const finding_style& style) {
  std::set<std::string_view> kernels;
  std::size_t stopped = 0;
  for (const launch_report& l : launches) {
    kernels.insert(l.mangled.empty() ? l.kernel : l.mangled);
    stopped += l.completed ? 0 : 1;
  }
  std::size_t roots = 0, following = 0, notes = 0;
  for (const root_cause& one : root_causes_of(launches, in_calls)) {
    ++roots;
    following += one.following.size();
  }
  static_cast<void>(notes_to_print(launches, style, notes));
  std::string found = roots == 0 ? "no findings" : counted(roots, "finding");
  if (following != 0) found += fmt::format(", and {} that follow{}", following, following == 1 ? "s" : "");
  if (notes != 0) found += fmt::format("; {} with --notes", counted(notes, "note"));
  return fmt::format("emulate: {}, {}{}, {}: {} ({:.1f} s)\n", counted(kernels.size(), "kernel"),
                     launches.size() == 1 ? "1 launch" : fmt::format("{} launches", launches.size()),
                     stopped == 0 ? "" : fmt::format(" ({} did not complete)", stopped), counted(checks, "check"),
                     found, seconds);
}

std::string short_kernel_name(const std::string& name, std::size_t columns) {
  if (host::columns_of(name) <= columns) return name;
  // The template arguments are the first group in angle brackets, the parameters the last one in parentheses.
  const std::size_t open = name.find('<');
  std::size_t close = open;
  for (int depth = 0; close < name.size(); ++close) {
    if (name[close] == '<') ++depth;
    if (name[close] == '>' && --depth == 0) break;
  }
  if (open == std::string::npos || close >= name.size()) {
    const std::size_t parameters = name.find('(', 1);
    if (parameters != std::string::npos && parameters + 4 <= columns) return name.substr(0, parameters) + "(…)";
    return name.substr(0, columns - 1) + "…";
  }
  const std::string before = name.substr(0, open + 1), inside = name.substr(open + 1, close - open - 1);
  std::string after = name.substr(close);
  constexpr std::size_t least = 12;
  if (before.size() + least + after.size() > columns) {
    if (const std::size_t parameters = after.find('('); parameters != std::string::npos)
      after = after.substr(0, parameters) + "(…)";
  }
  const std::size_t taken = host::columns_of(before) + host::columns_of(after);
  const std::size_t room = std::max(least, columns > taken ? columns - taken : 0);
  if (inside.size() <= room) return before + inside + after;
  return before + inside.substr(0, room / 2) + "…" + inside.substr(inside.size() - (room - room / 2 - 1)) + after;
}

}  // namespace emulator::report
