#pragma once
/// \file
/// What ptxas decided about each kernel, read from the machine code beside the PTX.

#include <cstdint>
#include <map>
#include <string>

#include "fat_binary/byte_view.hpp"

namespace fat_binary {

/// What one kernel needs, as `nvcc -Xptxas -v` prints it. Bytes per thread, except for shared memory.
struct kernel_resources {
  std::uint32_t registers = 0;
  std::uint32_t frame_bytes = 0;          ///< "stack frame": local memory of the kernel itself.
  std::uint32_t stack_bytes = 0;          ///< "cumulative stack size": with the functions that it calls.
  std::uint64_t static_shared_bytes = 0;  ///< "smem", per block: without what the system reserves.
};

/// Reads machine code (an ELF file for the "NVIDIA CUDA architecture").
/// \return by mangled name of the kernel
/// \throws error  where it is damaged or something else
[[nodiscard]] std::map<std::string, kernel_resources> read_kernel_resources(byte_span elf);

}  // namespace fat_binary
