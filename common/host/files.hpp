#pragma once
/// \file
/// Files, and where they may be.

#include <string>
#include <vector>

namespace host {

/// Returns a file's bytes. \throws usage_error  where there is no such file, or it cannot be read
[[nodiscard]] std::string read_file(const std::string& path);

/// Returns a variable of the environment; empty where it is not set.
[[nodiscard]] std::string variable(const char* name);

/// Says whether `path` is a file that this process may run.
[[nodiscard]] bool is_program(const std::string& path);

/// Returns the places in PATH where a program of this name would be, in order.
[[nodiscard]] std::vector<std::string> in_path(const std::string& name);

/// Returns the first of `candidates` that is a program; empty where none is.
[[nodiscard]] std::string first_program(const std::vector<std::string>& candidates);

}  // namespace host
