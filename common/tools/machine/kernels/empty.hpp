#pragma once
/// \file
/// Kernels that do nothing: what is left is the time to start them.

#include <vector>

namespace workbook::machine {

/// Nothing at all: no parameters.
extern const void* const empty_kernel;
/// One barrier per block: no parameters.
extern const void* const barrier_kernel;
/// Lets the next launch of the stream begin where the GPU can (compute capability 9.0), and waits for the one before:
/// no parameters.
extern const void* const handing_over_kernel;
/// Kernels (unsigned never, unsigned* values) that do nothing where `never` is 0, and need more and more registers
/// otherwise; for blocks of up to 256 threads.
[[nodiscard]] std::vector<const void*> kernels_with_registers();

}  // namespace workbook::machine
