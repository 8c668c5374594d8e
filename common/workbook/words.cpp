#include "workbook/words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "workbook/mistakes.hpp"

namespace workbook {
namespace {

/// Wraps one line, which has no line end. It begins at `column`.
std::string wrapped_line(const std::string& line, std::size_t column, std::size_t width) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  if (column + line.size() <= width || line.compare(first, 5, "make ") == 0) return line;
  const std::string indent(column > 0 ? column : first, ' ');
  std::string result = line.substr(0, first);
  std::size_t at = column + first;
  for (std::size_t begin = first; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    // Blanks before a word are kept, so that columns stay aligned.
    const std::size_t gap = begin - (begin == first ? begin : line.find_last_not_of(' ', begin - 1) + 1);
    if (begin != first && at + gap + (end - begin) > width) {
      result += '\n' + indent;
      at = indent.size();
    } else {
      result.append(gap, ' ');
      at += gap;
    }
    result += line.substr(begin, end - begin);
    at += end - begin;
    begin = std::min(line.find_first_not_of(' ', end), line.size());
  }
  return result;
}

}  // namespace

std::string role_name(role r) {
  static constexpr const char* names[] = {"previous", "reference", "yours", "library", "wrong", "compared"};
  return names[static_cast<std::size_t>(r)];
}

std::string format_short(double x) {
  if (std::isnan(x)) return "-";
  if (x == std::floor(x) && std::fabs(x) < 1e15) return fmt::format("{:.0f}", x);
  if (std::fabs(x) < 0.005) return fmt::format("{:.1e}", x);
  return std::fabs(x) < 100 ? fmt::format("{:.2f}", x) : fmt::format("{:.1f}", x);
}

std::string verdict(const outcome& o) {
  if (o.rejected) return "cannot";
  if (!o.failure.empty()) return "failed";
  if (!o.verified) return o.attempted ? "WRONG" : "not yet";
  return o.findings().empty() ? "yes" : "unsafe";
}

std::string plural(element_type type) {
  // In the order of `element_type`.
  static constexpr const char* names[] = {"ints", "unsigned ints", "long longs", "floats", "doubles"};
  static_assert(std::size(names) == std::size(all_element_types));
  return names[static_cast<std::size_t>(type)];
}

std::string elements_text(std::size_t count, element_type type) {
  const bool power = count >= 1024 && std::has_single_bit(count);
  return (power ? fmt::format("2^{}", std::bit_width(count) - 1) : fmt::format("{}", count)) + ' ' + plural(type);
}

std::string block_text(const problem& p) {
  if (p.block_shape[0] == 0) return fmt::format("{}", p.block_size);
  std::string text = fmt::format("{} x {}", p.block_shape[0], p.block_shape[1]);
  return p.block_shape[2] > 1 ? fmt::format("{} x {}", text, p.block_shape[2]) : text;
}

std::string block_size_prefix(unsigned block_size, unsigned right_size) {
  return fmt::format("In blocks of {} threads, though not of {}: ", block_size, right_size);
}

std::string words_for(const outcome& o) {
  std::string text;
  if (o.rejected) text += fmt::format("\n{}: {}.\n", o.name, *o.rejected);
  const std::vector<mistake> all = mistakes_of(o);
  if (!all.empty()) text += o.as == role::yours ? "\n" : fmt::format("\n{} ({}):\n", o.name, role_name(o.as));
  for (const mistake& m : all) text += paragraph(m);
  return text;
}

std::string wrapped(const std::string& text, std::size_t column, std::size_t width) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += wrapped_line(text.substr(begin, end - begin), begin == 0 ? column : 0, width);
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

std::size_t column_behind(const std::string& text, std::size_t column) {
  const std::size_t last = text.rfind('\n');
  return last == std::string::npos ? column + text.size() : text.size() - last - 1;
}

}  // namespace workbook
