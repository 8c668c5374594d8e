#pragma once
/// \file
/// The parts of the host process: what it gives up, the student's library, and the CUDA runtime that this meets.

#include <cstdint>
#include <string>

namespace judge {

/// Sets limits, drops all privileges, and lets the kernel refuse every system call beyond memory, time and the open
/// channel: none that opens a file, starts a process or reaches another one. Called before any of the student's code
/// runs. \return  `confinement` flags: what of this the system has
[[nodiscard]] std::uint64_t confine();

/// Opens the library without running any of its code: the grader has hidden its constructors from the dynamic linker.
/// `why_not` says in words what is wrong where the result is null.
[[nodiscard]] void* open_without_constructors(const std::string& path, std::string& why_not);

/// Runs what the dynamic linker would have run. Fatal faults in there end the process.
void run_constructors(void* library);

/// Returns the mangled name of the kernel behind a host stub of the library; empty where none is registered.
[[nodiscard]] std::string name_of_kernel(const void* host_function);

}  // namespace judge
