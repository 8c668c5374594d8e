#pragma once
/// \file
/// Compares the CUDA version that a GPU's driver supports with the one that the program was built with.

#include <string>

namespace emulator::runtime {

/// CUDA versions as CUDA numbers them: 13000 is 13.0.
struct cuda_versions {
  int driver = 0;            ///< The newest that the driver supports; 0 if there is no driver.
  int runtime = 0;           ///< The version of the runtime library that the program uses.
  std::string release = {};  ///< The driver's own number, such as 550.54.15; may be empty.
};

/// Returns why the driver cannot run programs of this runtime, and what to do. Returns an empty string if it can, or if
/// there is no driver. A driver runs machine code of every runtime of its own major version.
[[nodiscard]] std::string why_driver_is_too_old(const cuda_versions& found);

/// Returns why the driver cannot load PTX of this runtime's compiler, and what to do. PTX needs a driver that is at
/// least as new as the compiler.
[[nodiscard]] std::string why_ptx_is_too_new(const cuda_versions& found);

/// Returns the installed driver's version, from the text of /proc/driver/nvidia/version; empty if the text has none.
[[nodiscard]] std::string driver_release(const std::string& text);

}  // namespace emulator::runtime
