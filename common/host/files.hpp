#pragma once
/// \file
/// Reads files and environment variables, and finds programs.

#include <cstddef>
#include <string>
#include <vector>

namespace host {

/// Returns a file's bytes. \throws usage_error  if there is no such file, or if it cannot be read
[[nodiscard]] std::string read_file(const std::string& path);
[[nodiscard]] std::vector<std::byte> read_bytes(const std::string& path);

/// Returns an environment variable, or an empty string if it is not set.
[[nodiscard]] std::string variable(const char* name);

/// Returns true if `path` is a file that this process may execute.
[[nodiscard]] bool is_program(const std::string& path);

/// Returns the paths at which a program of this name could be found through PATH, in order.
[[nodiscard]] std::vector<std::string> in_path(const std::string& name);

/// Returns the first of `candidates` that is an executable file, or an empty string.
[[nodiscard]] std::string first_program(const std::vector<std::string>& candidates);

}  // namespace host
