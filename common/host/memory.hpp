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

}  // namespace host
