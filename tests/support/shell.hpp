#pragma once
/// \file
/// Runs the project's programs with a command line, as users do, and reads what they print.

#include <fstream>
#include <iterator>
#include <string>

#include "host/process.hpp"

namespace test_support {

/// The result of a command.
struct command_result {
  int status = 0;
  std::string output;  ///< All of standard output.
  std::string errors;  ///< All of standard error.
};

/// Returns a file's bytes, or an empty string if it cannot be read.
[[nodiscard]] inline std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a shell command to its end.
[[nodiscard]] inline command_result shell(const std::string& command) {
  const host::temporary_folder folder;
  const std::string output = folder.path() + "/output";
  const host::ending ended = host::run({"sh", "-c", command}, {}, true, output);
  return {ended.status, contents(output), ended.error_output};
}

}  // namespace test_support
