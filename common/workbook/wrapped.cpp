#include "workbook/wrapped.hpp"

#include <algorithm>

namespace workbook {
namespace {

/// One line without its end; `column` is where it begins.
std::string wrapped_line(const std::string& line, std::size_t column, std::size_t width) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  if (column + line.size() <= width || line.compare(first, 5, "make ") == 0) return line;
  const std::string indent(column > 0 ? column : first, ' ');
  std::string result = line.substr(0, first);
  std::size_t at = column + first;
  for (std::size_t begin = first; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    // Blanks in front of a word belong to it, so that columns stay.
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
