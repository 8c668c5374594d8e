#pragma once
/// \file
/// Formatting of source text for reports.

#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host {

/// Returns true if a character can be part of a name.
[[nodiscard]] inline bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Returns the text without blanks at its ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Returns the lines of a file, with blanks in place of tabs and control characters, and without trailing blanks.
/// \return nothing if the file cannot be read
[[nodiscard]] std::optional<std::vector<std::string>> read_source(const std::string& path);

/// Returns the path in a form that is short enough for a heading: the last three parts of an absolute path. They do not
/// depend on the user or on the location of the tree.
[[nodiscard]] std::string shown_path(const std::string& path);

/// Returns the number of columns of UTF-8 text, with one column per character.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// Fits source text into lines of `width` columns (at least 10). If it is too long, a comment at its end is dropped. If
/// it is still too long, it is broken at blanks, and the following lines are indented further. A line that is only a
/// comment is cut, with `~` at its end. Words that are too long are cut, too.
/// \return at least one line
[[nodiscard]] std::vector<std::string> fit(const std::string& text, std::size_t width);

/// Breaks text at blanks into lines of at most `width` columns; a longer word gets its own line.
[[nodiscard]] std::vector<std::string> wrap(const std::string& text, std::size_t width);

}  // namespace host
