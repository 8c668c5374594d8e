#pragma once
/// \file
/// What the checks find in calls of the runtime, beside the kernels: frees that are wrong, copies of bytes that nobody
/// has written, memory that is never freed.

#include <cstddef>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/runtime/device.hpp"

namespace emulator::runtime {

/// `pointer` cannot be freed: says so, and reports it (memcheck).
void report_bad_free(const char* call, const void* pointer);

/// Memory that is registered, and that the program has given back to the system, is known no longer: says so, and
/// reports it (memcheck).
void report_lost_memory();

/// Looks at what a call copies to the host from device memory, in bounds (initcheck). Gaps that may be padding between
/// the members of a structure are left out: up to 8 bytes each, at equal distances, or one in a copy of up to 64 bytes.
void check_copied_bytes(const char* call, const void* source, std::size_t size_bytes);

/// Keeps where memory was allocated, for find_leaks(); only while leaks are watched.
void note_allocation(const void* pointer);

/// Says what has been allocated and not freed: one finding an allocation, the last of many for all that remain.
[[nodiscard]] std::vector<finding> find_leaks();

/// Finds the source line of each finding; leaves out those of calls that libraries of the toolkit make.
[[nodiscard]] std::vector<finding> with_lines(std::vector<call_finding> found);

}  // namespace emulator::runtime
