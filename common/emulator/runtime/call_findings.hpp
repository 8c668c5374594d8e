#pragma once
/// \file
/// What the checks find in calls of the runtime, beside the kernels: frees that are wrong, copies of bytes that nobody
/// has written, memory that is never freed.

#include <cstddef>
#include <vector>

#include "emulator/emulator.hpp"

namespace emulator::runtime {

/// `pointer` cannot be freed: says so, and reports it (memcheck).
void report_bad_free(const char* call, const void* pointer);

/// Looks at what a call copies to the host from device memory, in bounds (initcheck). Gaps that may be padding between
/// the members of a structure are left out: up to 8 bytes each, at equal distances, or one in a copy of up to 64 bytes.
void check_copied_bytes(const char* call, const void* source, std::size_t size_bytes);

/// Says what has been allocated and not freed: one finding an allocation, the last of many for all that remain.
[[nodiscard]] std::vector<finding> find_leaks();

}  // namespace emulator::runtime
