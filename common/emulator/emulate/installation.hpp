#pragma once
/// \file
/// The places of the parts of this installation: `../lib/reduction_workbook/emulate.json`, relative to the program's
/// folder. The build writes one with absolute paths, and `cmake --install` writes one with relative paths, so that an
/// installation may be moved.

#include <string>
#include <vector>

namespace emulate {

struct installation {
  std::string version;                 ///< Version of the workbook that this was built from.
  std::string nvcc;                    ///< The compiler that this was built with; empty if it may not last.
  std::string host_compiler;           ///< The compiler that nvcc uses for host code; empty: its default.
  std::string include_folder;          ///< With `emulator/emulator.hpp`.
  std::string machines_folder;         ///< With the files machine_NAME.json.
  std::string library_folder;          ///< With shared libraries that programs need when they run; empty: the system's.
  std::vector<std::string> libraries;  ///< The emulator's, in the linker's order.
  std::vector<std::string> link_options;
};

/// Reads such a file; its relative paths are relative to its folder. \throws std::runtime_error  if it is missing or
/// incomplete; the message explains what to do
[[nodiscard]] installation read_installation(const std::string& path);

/// Returns the installation that this program belongs to. \throws std::runtime_error  as above
[[nodiscard]] const installation& this_installation();

}  // namespace emulate
