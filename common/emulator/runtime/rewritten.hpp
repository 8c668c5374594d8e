#pragma once
/// \file
/// What launches ask: the kernel itself, or the one that takes its place while kernels are rewritten.

#include <cstddef>

#include "emulator/runtime/registry.hpp"

namespace emulator::runtime {

/// Returns the kernel to run for a host stub's address or a handle: as registered, or rewritten. Null where nothing is
/// registered, or where the rewritten kernel cannot be compiled.
[[nodiscard]] function_record* kernel_to_run(const void* host_function_or_handle);

/// Returns the bytes of dynamic shared memory that a launch on the GPU asks for beyond its own while experiments want
/// half as many blocks resident; else 0.
[[nodiscard]] std::size_t extra_shared_bytes(const function_record& kernel, unsigned threads_per_block,
                                             std::size_t dynamic_shared_bytes);

}  // namespace emulator::runtime
