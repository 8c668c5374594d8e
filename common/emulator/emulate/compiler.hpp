#pragma once
/// \file
/// Builds a program that runs on the emulated device from sources.

#include <string>

#include "emulator/emulate/command_line.hpp"

namespace emulate {

/// Returns the CUDA compiler: the requested one, that of this build, or one from PATH or CUDA_HOME.
/// \throws std::runtime_error  if there is none; the message explains what to do
[[nodiscard]] std::string find_nvcc(const std::string& asked_for);

/// Compiles and links. The compiler's own messages go to standard error as they are.
/// \param folder   for all files that are made
/// \param program  receives the path of the program
/// \return 0, or the compiler's exit status
[[nodiscard]] int build_program(const request& wanted, const std::string& folder, std::string& program);

}  // namespace emulate
