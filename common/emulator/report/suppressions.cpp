#include "emulator/report/suppressions.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>
#include <string_view>

#include "host/source_text.hpp"

namespace emulator::report {
namespace {

/// Returns the parts between vertical bars. `operator|` in a kernel's name has to be written with `*`.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream words(text);
  for (std::string part; std::getline(words, part, '|');) parts.emplace_back(host::trimmed(part));
  return parts;
}

[[noreturn]] void refuse(const std::string& place, const std::string& why) {
  throw bad_suppression(place + ": " + why +
                        ". A line is CHECK: KIND | FILE | KERNEL, and | LINE if only one line is meant, such as\n"
                        "  racecheck: read-after-write race | src/sum.cu | * | 42");
}

suppression read_line(const std::string& text, const std::string& place) {
  const std::vector<std::string> parts = parts_of(text);
  if (parts.size() < 3 || parts.size() > 4)
    refuse(place, std::to_string(parts.size()) + (parts.size() == 1 ? " field" : " fields") + " instead of 3 or 4");
  suppression read{place, text, parts[0], parts[1], parts[2]};
  for (const std::string& part : parts)
    if (part.empty()) refuse(place, "an empty field; * stands for anything");
  const std::string check = read.kind.substr(0, read.kind.find(':'));
  static constexpr check_kind checks[] = {check_kind::memcheck,  check_kind::initcheck, check_kind::racecheck,
                                          check_kind::synccheck, check_kind::limit,     check_kind::emulator};
  const bool known =
      std::any_of(std::begin(checks), std::end(checks), [&](check_kind one) { return check == name_of(one); });
  if (read.kind != "*" && (!known || read.kind.find(':') == std::string::npos))
    refuse(place, "'" + read.kind +
                      "' does not begin with memcheck:, initcheck:, racecheck:, synccheck:, limit: or emulator:");
  if (parts.size() == 4) {
    const std::string& line = parts[3];
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), read.line);
    if (error != std::errc() || end != line.data() + line.size() || read.line == 0)
      refuse(place, "'" + line + "' is not a line number");
  }
  return read;
}

/// Only stars are special in the pattern; brackets and question marks are literal.
bool fits(const std::string& pattern, const std::string& text) {
  std::string escaped;
  for (const char c : pattern) {
    if (c == '[' || c == '?' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return fnmatch(escaped.c_str(), text.c_str(), 0) == 0;
}

std::string title_of(const finding& f) {
  return std::string(name_of(f.check())).append(": ").append(name_of(f.kind));
}

}  // namespace

std::vector<suppression> read_suppressions(const std::string& text, const std::string& name) {
  std::vector<suppression> all;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string_view words = host::trimmed(line);
    if (!words.empty() && words[0] != '#')
      all.push_back(read_line(std::string(words), name + ":" + std::to_string(number)));
  }
  return all;
}

bool matches(const suppression& one, const finding& f) {
  const auto at = [&](const std::string& file, std::uint32_t line) {
    return (one.line == 0 || one.line == line) && (fits(one.file, file) || fits("*/" + one.file, file));
  };
  return fits(one.kind, title_of(f)) && fits(one.kernel, f.kernel) &&
         (at(f.file, f.line) || (f.other_line != 0 && at(f.other_file, f.other_line)));
}

std::vector<finding> suppress(std::vector<suppression>& all, std::vector<launch_report>& launches,
                              std::vector<finding>& in_calls) {
  std::vector<finding> taken;
  const auto take = [&](std::vector<finding>& from) {
    std::erase_if(from, [&](const finding& f) {
      const auto found = std::find_if(all.begin(), all.end(), [&](const suppression& s) { return matches(s, f); });
      if (found == all.end()) return false;
      ++found->used;
      taken.push_back(f);
      return true;
    });
  };
  for (launch_report& launch : launches) take(launch.findings);
  take(in_calls);
  return taken;
}

}  // namespace emulator::report
