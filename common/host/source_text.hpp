#pragma once
/// \file
/// The text of a source file, as a report shows it.

#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host {

/// Says whether a character may stand in a name.
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

/// Reads the lines of a file: blanks instead of tabs and control characters, none at the ends.
/// \return nothing where the file cannot be read
[[nodiscard]] std::optional<std::vector<std::string>> read_source(const std::string& path);

/// The path, short enough for a heading: of an absolute one the last three parts, which is the same wherever the tree
/// stands and whoever asks.
[[nodiscard]] std::string shown_path(const std::string& path);

/// How many columns UTF-8 text takes, at one a character.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// Makes source text fit into `width` columns (at least 10): without the comment at its end where that is what is too
/// long, else broken at blanks, with what follows indented further; a
/// line that is nothing but a comment is cut, with `~` at its end. Words without a blank are cut where they must be.
/// \return one line at least
[[nodiscard]] std::vector<std::string> fit(const std::string& text, std::size_t width);

/// Breaks text at blanks into lines of at most `width` columns; longer words stand alone.
[[nodiscard]] std::vector<std::string> wrap(const std::string& text, std::size_t width);

}  // namespace host
