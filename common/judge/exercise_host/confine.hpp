#pragma once
/// \file
/// What the host process gives up before any of the student's code is in it.

#include <cstdint>

namespace judge {

/// Sets limits, drops all privileges, and lets the kernel refuse every system call beyond memory, time and the open
/// channel: none that opens a file, starts a process or reaches another one. \return  `confinement` flags: what of this
/// the system has
[[nodiscard]] std::uint64_t confine();

}  // namespace judge
