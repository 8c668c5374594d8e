#pragma once
/// \file
/// NVIDIA libraries that programs use but the emulator lacks:
/// docs/decisions/029-libraries-without-emulation.md.

#include <string>
#include <vector>

namespace emulate {

struct library {
  std::string name;    ///< "cuBLAS"
  std::string prefix;  ///< Prefix of its functions and of its name after -l.
  std::string
      still_works;  ///< The part of NVIDIA's library that works without a GPU, as a sentence; empty if none does.
};

/// Returns the library that a C function belongs to, by its name; null if it belongs to none of these.
[[nodiscard]] const library* library_with_function(const std::string& function);

/// Returns the library that a linker's option names: "-lcublasLt", "libcublas.so"; null if it names none of these.
[[nodiscard]] const library* library_of_option(const std::string& option);

/// Returns true for a function of the CUDA driver, such as cuLaunchKernel.
[[nodiscard]] bool is_driver_function(const std::string& name);

/// Returns true for a function of the CUDA runtime, such as cudaMalloc.
[[nodiscard]] bool is_runtime_function(const std::string& name);

/// Returns what a function belongs to: "cuBLAS", "the CUDA driver". Empty if its name doesn't show that: then it may be
/// the program's own, or a variable.
[[nodiscard]] std::string owner_of(const std::string& function);

/// Returns a line about each library in a linker's options that is linked unchanged, because it will find no GPU.
[[nodiscard]] std::string notes_on_libraries(const std::vector<std::string>& options);

/// Returns a C++ file with a function of each of these names, which ends the program with an error if it is called.
[[nodiscard]] std::string source_of_missing(const std::vector<std::string>& functions);

}  // namespace emulate
