#pragma once
/// \file
/// The symbols and libraries that a linker could not find.

#include <string>
#include <vector>

namespace emulate {

/// Returns the functions and variables that the linker's messages call undefined, each once, in order.
[[nodiscard]] std::vector<std::string> undefined_names(const std::string& linker_output);

/// Returns the options for libraries that the linker did not find, each once, in order: "-lcublas".
[[nodiscard]] std::vector<std::string> libraries_not_found(const std::string& linker_output);

/// Explains what is missing and why, or returns an empty text if the linker reports something else.
/// \param allow_missing  functions of libraries without emulation, and of CUDA itself, are not a reason
[[nodiscard]] std::string explain_link_failure(const std::string& linker_output, bool allow_missing = false);

}  // namespace emulate
