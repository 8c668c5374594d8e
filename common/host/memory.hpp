#pragma once
/// \file
/// How much memory this machine has left for the program.

#include <cstdint>
#include <string>

namespace host {

/// Returns how many more bytes of memory this process can use without swapping or being ended for it: what Linux says
/// is available, less where a container allows less. The largest number where nobody knows.
/// \param root  where /proc and /sys are, for tests; likewise below
[[nodiscard]] std::uint64_t unused_memory(const std::string& root = {});

/// The same for memory whose addresses are still to be asked for: less where the shell (ulimit -v) allows fewer.
[[nodiscard]] std::uint64_t available_memory(const std::string& root = {});

/// Returns the size of the system's pages: 4096, or 16384 or 65536 on some arm64 systems.
[[nodiscard]] std::uint64_t page_bytes();

/// Returns true if this process runs under qemu's user-mode emulation of its processor.
[[nodiscard]] bool processor_is_emulated();

}  // namespace host
