#pragma once
/// \file
/// What the emulator's checks have found, for programs that show no report.

#include <string>
#include <vector>

namespace chapter16 {

/// Returns a line for each finding since the last call, of kernels and of calls, and forgets them. None on a GPU.
[[nodiscard]] std::vector<std::string> take_findings();

}  // namespace chapter16
