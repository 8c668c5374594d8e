#pragma once
/// \file
/// The parts of the host process: its restrictions, loading the student's library, and the library's CUDA runtime.

#include <cstdint>
#include <string>

namespace judge {

/// Sets limits, drops all privileges, and makes the kernel refuse every system call except those for memory, time and
/// the open channel. The process can then neither open a file nor start or access a process. Must be called before any
/// of the student's code runs. \return  the `confinement` flags of the restrictions that the system supports
[[nodiscard]] std::uint64_t confine();

/// Opens the library without running any of its code, because the grader has hidden its constructors from the dynamic
/// linker. If the result is null, `why_not` has the error message.
[[nodiscard]] void* open_without_constructors(const std::string& path, std::string& why_not);

/// Runs the constructors that the dynamic linker would have run. A fatal fault in them ends the process.
void run_constructors(void* library);

/// Returns the mangled name of the kernel for a host stub of the library; empty if none is registered.
[[nodiscard]] std::string name_of_kernel(const void* host_function);

}  // namespace judge
