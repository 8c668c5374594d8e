#pragma once
/// \file
/// What a program may assume of the place that it prints to.

#include <cstddef>
#include <optional>

namespace host {

/// Says whether a person looks at what is written to a file descriptor.
[[nodiscard]] bool is_terminal(int file_descriptor);

/// Returns a terminal's width in columns, or what COLUMNS says; nothing where neither is known.
[[nodiscard]] std::optional<std::size_t> terminal_columns(int file_descriptor);

/// Says whether escape sequences have an effect there and are wanted: a terminal, no NO_COLOR, and not a dumb one.
[[nodiscard]] bool takes_color(int file_descriptor);

}  // namespace host
