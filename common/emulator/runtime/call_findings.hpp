#pragma once
/// \file
/// Findings of the checks in runtime calls, not in kernels: invalid frees, copies of uninitialised bytes, and leaks.

#include <cstddef>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/runtime/device.hpp"

namespace emulator::runtime {

/// Explains that `pointer` cannot be freed, and reports a finding (memcheck).
void report_bad_free(const char* call, const void* pointer);

/// Unregisters registered memory that the program has returned to the system. If there is any, explains that and
/// reports a finding (memcheck).
void report_lost_memory();

/// Checks that bytes which a call copies from device memory to the host have been written (initcheck). The range must
/// be in bounds. Gaps that may be padding between the members of a structure are allowed: up to 8 bytes each, at equal
/// distances, or a single one in a copy of up to 64 bytes.
void check_copied_bytes(const char* call, const void* source, std::size_t size_bytes);

/// Stores the call stack of an allocation for find_leaks(), if leaks are checked.
void note_allocation(const void* pointer);

/// Returns a finding for each allocation that has not been freed. If there are many, the last one represents the rest.
[[nodiscard]] std::vector<finding> find_leaks();

/// Adds the source line to each finding. Findings in calls by libraries of the toolkit are left out.
[[nodiscard]] std::vector<finding> with_lines(std::vector<call_finding> found);

}  // namespace emulator::runtime
