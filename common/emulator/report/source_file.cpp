#include "emulator/report/source_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace emulator::report {
namespace {

void strip_end(std::string& text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
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
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error || path.empty()) return path;
  const std::filesystem::path near = std::filesystem::path(path).lexically_proximate(here).lexically_normal();
  return near.empty() || *near.begin() == ".." ? path : near.string();
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string fit(const std::string& text, std::size_t width) {
  if (columns_of(text) <= width) return text;
  // In a string literal `//` may stand too: then the cut says so.
  if (const auto comment = text.rfind(" //"); comment != std::string::npos && text.find('"') == std::string::npos) {
    std::string code = text.substr(0, comment);
    strip_end(code);
    if (!code.empty()) return fit(code, width);
  }
  if (width == 0) return {};
  std::size_t end = 0;
  for (std::size_t column = 0; end < text.size(); ++end) {
    if (!continues_character(text[end]) && column++ == width - 1) break;
  }
  return text.substr(0, end) + "~";
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

}  // namespace emulator::report
