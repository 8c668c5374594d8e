#pragma once
/// \file
/// Kernels that only load: with a known number of bytes on their way, and with one short life per block.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace workbook::machine {

/// A kernel (const void* in, unsigned rounds, std::uint32_t never, std::uint32_t* sink). In each round every thread of
/// the grid loads `loads` vectors of `vector_bytes` bytes, the grid side by side, and needs them all before the next.
/// Where the exclusive or of a thread's words is `never`, it is written to `*sink`.
struct load_kernel {
  const void* kernel;
  unsigned loads;
  unsigned vector_bytes;
};

/// 1, 2, 4 and 8 loads of 4, 8 and 16 bytes.
[[nodiscard]] std::vector<load_kernel> load_kernels();

/// The same parameters; a block loads `loads` ints per thread, side by side with the next block, and ends. `rounds` has
/// no meaning.
[[nodiscard]] std::vector<load_kernel> short_lived_kernels();

}  // namespace workbook::machine
