#pragma once
/// \file
/// Names and number formats for all texts about kernels, and line wrapping for a plain terminal.

#include <cstddef>
#include <string>

#include "workbook/measure.hpp"

namespace workbook {

/// Returns "reference", "yours" …
[[nodiscard]] std::string role_name(role r);
/// Returns "yes", "WRONG", "not yet", "unsafe", "failed" or "cannot".
[[nodiscard]] std::string verdict(const outcome& o);
/// Returns a number in a short form: "45", "2.31", or "-" for NaN.
[[nodiscard]] std::string format_short(double x);
/// Returns "ints", "long longs" …
[[nodiscard]] std::string plural(element_type type);
/// Returns "2^29 ints", "1000 doubles" …
[[nodiscard]] std::string elements_text(std::size_t count, element_type type);
/// Returns "128", or "8 x 4 x 2".
[[nodiscard]] std::string block_text(const problem& p);
/// Returns a paragraph for each mistake found in an outcome; empty if nothing is wrong.
[[nodiscard]] std::string words_for(const outcome& o);
/// Returns the beginning of a cause that depends on the block size: "In blocks of 512 threads, though not of 256: ".
[[nodiscard]] std::string block_size_prefix(unsigned block_size, unsigned right_size);

/// Columns of a plain terminal.
constexpr std::size_t screen_columns = 80;

/// Returns `text` in lines of at most `width` columns, broken at blanks. Continuation lines are indented to the line's
/// first word, or to `column` if other output precedes the text in its line. Commands (lines that begin with `make`)
/// and words that are too long aren't broken.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t column = 0, std::size_t width = screen_columns);

/// Returns the column after the end of `text`, which was printed from `column` on.
[[nodiscard]] std::size_t column_behind(const std::string& text, std::size_t column);

}  // namespace workbook
