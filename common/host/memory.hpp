#pragma once
/// \file
/// How much memory this machine has left for the program.

#include <cstdint>
#include <string>

namespace host {

/// Returns how many more bytes of memory this process can take without swapping or being ended for it: what Linux says
/// is available, less where a container or the shell (ulimit -v) allows less. The largest number where nobody knows.
/// \param root  where /proc and /sys are, for tests
[[nodiscard]] std::uint64_t available_memory(const std::string& root = {});

}  // namespace host
