#pragma once
/// \file
/// Programs of the project as a user meets them: a command line, and what it printed.

#include <fstream>
#include <iterator>
#include <string>

#include "host/process.hpp"

namespace test_support {

/// How a command ended.
struct command_result {
  int status = 0;
  std::string output;  ///< Standard output, whole.
  std::string errors;  ///< Standard error.
};

/// Returns a file's bytes; nothing where there is none.
[[nodiscard]] inline std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a command of the shell to its end.
[[nodiscard]] inline command_result shell(const std::string& command) {
  const host::temporary_folder folder;
  const std::string output = folder.path() + "/output";
  const host::ending ended = host::run({"sh", "-c", command}, {}, true, output);
  return {ended.status, contents(output), ended.error_output};
}

}  // namespace test_support
