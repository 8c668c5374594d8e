#pragma once
/// \file
/// Runs the program `emulate` on the programs of the folder programs/.

#include <string>

#include "support/shell.hpp"

namespace test_support {

/// Runs `emulate` with the arguments in `line`, in the folder of the programs. `variables` are assignments of
/// environment variables, in the shell's syntax.
[[nodiscard]] inline command_result emulate_line(const std::string& line, const std::string& variables = {}) {
  return shell("cd '" EMULATE_TEST_PROGRAMS "' && exec env " + variables + " '" EMULATE_UNDER_TEST "' " + line);
}

}  // namespace test_support
