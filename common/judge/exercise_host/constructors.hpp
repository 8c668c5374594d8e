#pragma once
/// \file
/// The library's constructors, which the grader has hidden from the dynamic linker: they run when this program says so.

#include <string>

namespace judge {

/// Opens the library without running any of its code. `why_not` says in words what is wrong where the result is null.
[[nodiscard]] void* open_without_constructors(const std::string& path, std::string& why_not);

/// Runs what the dynamic linker would have run. Fatal faults in there end the process.
void run_constructors(void* library);

}  // namespace judge
