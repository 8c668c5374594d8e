#pragma once
/// \file
/// What launches ask: the kernel itself, or the one that takes its place while kernels are rewritten.

#include "emulator/runtime/registry.hpp"

namespace emulator::runtime {

/// Returns the kernel to run for a host stub's address or a handle: as registered, or rewritten. Null where nothing is
/// registered, or where the rewritten kernel cannot be compiled.
[[nodiscard]] function_record* kernel_to_run(const void* host_function_or_handle);

}  // namespace emulator::runtime
