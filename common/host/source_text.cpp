#include "host/source_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace host {
namespace {

void strip_end(std::string& text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// Returns the number of bytes of the first `columns` columns.
std::size_t bytes_of_columns(const std::string& text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t column = 0; end < text.size(); ++end) {
    if (!continues_character(text[end]) && column++ == columns) break;
  }
  return end;
}

}  // namespace

std::optional<std::vector<std::string>> read_source(const std::string& path) {
  std::error_code error;
  if (path.empty() || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    std::string shown;
    for (const char c : line) {
      if (c == '\t')
        shown.append(4 - shown.size() % 4, ' ');
      else
        shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
    strip_end(shown);
    lines.push_back(std::move(shown));
  }
  return lines;
}

std::string shown_path(const std::string& path) {
  const std::filesystem::path whole(path);
  if (!whole.is_absolute()) return path;
  constexpr std::ptrdiff_t most = 3;
  const auto parts = std::distance(whole.begin(), whole.end());
  std::filesystem::path shown;
  for (auto part = std::next(whole.begin(), std::max<std::ptrdiff_t>(0, parts - most)); part != whole.end(); ++part)
    shown /= *part;
  return shown.string();
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::vector<std::string> fit(const std::string& text, std::size_t width) {
  if (columns_of(text) <= width) return {text};
  // A string literal may contain `//`, too.
  if (const auto comment = text.rfind(" //"); comment != std::string::npos && text.find('"') == std::string::npos) {
    std::string code = text.substr(0, comment);
    strip_end(code);
    if (!code.empty()) return fit(code, width);
  }
  if (const std::size_t begin = text.find_first_not_of(' ');
      begin != std::string::npos && text.compare(begin, 2, "//") == 0) {
    return {text.substr(0, bytes_of_columns(text, width - 1)) + "~"};
  }
  const std::size_t own = std::min(text.find_first_not_of(' '), text.size());
  const std::string indent(own + 4 < width / 2 ? own + 4 : 0, ' ');
  std::vector<std::string> lines;
  std::string rest = text;
  while (columns_of(rest) > width) {
    const std::size_t most = bytes_of_columns(rest, width);
    const std::size_t content = std::min(rest.find_first_not_of(' '), most);
    std::size_t cut = rest.rfind(' ', most);
    if (cut == std::string::npos || cut <= content) cut = most;
    lines.push_back(rest.substr(0, cut));
    strip_end(lines.back());
    rest = indent + rest.substr(std::min(rest.find_first_not_of(' ', cut), rest.size()));
  }
  strip_end(rest);
  if (!rest.empty()) lines.push_back(rest);
  return lines;
}

std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.empty() && columns_of(lines.back()) + 1 + columns_of(word) <= width)
      lines.back() += ' ' + word;
    else
      lines.push_back(word);
  }
  return lines;
}

}  // namespace host
