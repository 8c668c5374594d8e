#pragma once
/// \file
/// Text in lines that fit a plain terminal.

#include <cstddef>
#include <string>

namespace workbook {

/// Columns of a plain terminal.
constexpr std::size_t screen_columns = 80;

/// Returns `text` in lines of at most `width` columns, broken at blanks. A line goes on under its own first word; one
/// that begins at `column`, behind what is printed already, goes on there. Commands (lines that begin with `make`) and
/// words that are too long stay whole.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t column = 0, std::size_t width = screen_columns);

/// Returns the column behind the last line of `text`, which was printed from `column` on.
[[nodiscard]] std::size_t column_behind(const std::string& text, std::size_t column);

}  // namespace workbook
