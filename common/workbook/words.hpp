#pragma once
/// \file
/// Words and figures that every text about kernels uses, and lines that fit a plain terminal.

#include <cstddef>
#include <string>

#include "workbook/measure.hpp"

namespace workbook {

/// "reference", "yours" …
[[nodiscard]] std::string role_name(role r);
/// "yes", "WRONG", "not yet", "unsafe", "failed" or "cannot".
[[nodiscard]] std::string verdict(const outcome& o);
/// A number as short as it can be told: "45", "2.31", "-" where there is none.
[[nodiscard]] std::string shortly(double x);
/// "ints", "long longs"
[[nodiscard]] std::string plural(element_type type);
/// "2^29 ints", "1000 doubles"
[[nodiscard]] std::string elements_text(std::size_t count, element_type type);
/// "128", or "8 x 4 x 2".
[[nodiscard]] std::string block_text(const problem& p);
/// Says in words what is wrong with an outcome, a paragraph each; empty where nothing is.
[[nodiscard]] std::string words_for(const outcome& o);
/// "In blocks of 512 threads, though not of 256: ": what goes before a cause that hangs on the block's size.
[[nodiscard]] std::string in_such_blocks_only(unsigned block_size, unsigned right_size);

/// Columns of a plain terminal.
constexpr std::size_t screen_columns = 80;

/// Returns `text` in lines of at most `width` columns, broken at blanks. A line goes on under its own first word; one
/// that begins at `column`, behind what is printed already, goes on there. Commands (lines that begin with `make`) and
/// words that are too long stay whole.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t column = 0, std::size_t width = screen_columns);

/// Returns the column behind the last line of `text`, which was printed from `column` on.
[[nodiscard]] std::size_t column_behind(const std::string& text, std::size_t column);

}  // namespace workbook
