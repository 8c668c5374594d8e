#pragma once
/// \file
/// Properties of the terminal that a program prints to.

#include <cstddef>
#include <optional>

namespace host {

/// Returns true if a file descriptor is a terminal.
[[nodiscard]] bool is_terminal(int file_descriptor);

/// Returns a terminal's width in columns, or the value of COLUMNS; nothing if neither is known.
[[nodiscard]] std::optional<std::size_t> terminal_columns(int file_descriptor);

/// Returns true if the descriptor is a terminal that understands escape sequences, and the user wants them: NO_COLOR is
/// not set, and TERM isn't "dumb".
[[nodiscard]] bool takes_color(int file_descriptor);

}  // namespace host
