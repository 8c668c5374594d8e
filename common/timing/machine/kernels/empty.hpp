#pragma once
/// \file
/// Kernels that do nothing, for measuring the time that it takes to start them.

#include <vector>

namespace workbook::machine {

/// A kernel without parameters that does nothing.
extern const void* const empty_kernel;
/// A kernel without parameters in which each block executes one barrier.
extern const void* const barrier_kernel;
/// A kernel without parameters for a dependent launch. With compute capability 9.0 or newer, it lets the next launch in
/// the stream begin early, and waits until the previous launch has ended.
extern const void* const handing_over_kernel;
/// Returns kernels (unsigned never, unsigned* values) that return at once if `never` is 0. They need more registers per
/// thread from one kernel to the next, whatever `never` is. For blocks of up to 256 threads.
[[nodiscard]] std::vector<const void*> kernels_with_registers();

}  // namespace workbook::machine
