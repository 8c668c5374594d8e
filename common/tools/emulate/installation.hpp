#pragma once
/// \file
/// Where the parts of this installation are: `../lib/reduction_workbook/emulate.json`, seen from the program's folder.
/// The build writes one with its own places, and `cmake --install` one whose places are relative to it, so that what is
/// installed may be moved.

#include <string>
#include <vector>

namespace emulate {

struct installation {
  std::string version;          ///< Of the workbook that this was built from.
  std::string nvcc;             ///< The compiler that this was built with; empty where it is not to be relied on.
  std::string host_compiler;    ///< What nvcc takes for host code; empty: its own choice.
  std::string include_folder;   ///< With `emulator/emulator.hpp`.
  std::string machines_folder;  ///< With the files machine_NAME.json.
  std::string library_folder;   ///< With shared libraries that programs need when they run; empty: the system's.
  std::vector<std::string> libraries;  ///< The emulator's, in the linker's order.
  std::vector<std::string> link_options;
};

/// Reads such a file; relative places in it are seen from its folder. \throws std::runtime_error  where it is not there
/// or lacks something: says what to do
[[nodiscard]] installation read_installation(const std::string& path);

/// The installation that this program belongs to. \throws std::runtime_error  as above
[[nodiscard]] const installation& this_installation();

}  // namespace emulate
