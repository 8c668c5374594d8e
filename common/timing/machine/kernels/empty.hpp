#pragma once
/// \file
/// Kernels that do nothing, so that only the time to start them remains.

#include <vector>

namespace workbook::machine {

/// Nothing at all: no parameters.
extern const void* const empty_kernel;
/// One barrier per block: no parameters.
extern const void* const barrier_kernel;
/// Lets the next launch of the stream begin early if the GPU can do that (compute capability 9.0), and waits for the
/// one before: no parameters.
extern const void* const handing_over_kernel;
/// Kernels (unsigned never, unsigned* values) that do nothing if `never` is 0, and otherwise need more and more
/// registers; for blocks of up to 256 threads.
[[nodiscard]] std::vector<const void*> kernels_with_registers();

}  // namespace workbook::machine
