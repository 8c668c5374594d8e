#pragma once
/// \file
/// The memory that is left for the program.

#include <cstdint>
#include <string>

namespace host {

/// Returns the number of bytes that this process can still use without swapping or being killed: the memory that Linux
/// reports as available, or less if a container's limit is lower. Returns the largest number if neither is known.
/// \param root  the folder that contains /proc and /sys; only tests set it, here and below
[[nodiscard]] std::uint64_t unused_memory(const std::string& root = {});

/// Returns the same for memory whose addresses still have to be reserved, so the shell's limit (ulimit -v) counts, too.
[[nodiscard]] std::uint64_t available_memory(const std::string& root = {});

/// Returns the size of the system's pages: 4096, or 16384 or 65536 on some arm64 systems.
[[nodiscard]] std::uint64_t page_bytes();

/// Returns true if this process runs under qemu's user-mode emulation of its processor.
[[nodiscard]] bool processor_is_emulated();

}  // namespace host
