#pragma once
/// \file
/// Kernels that do nothing but move memory: as fast as reading, writing and copying can be.

#include <cstddef>
#include <cstdint>

namespace workbook {

/// How a sweep over an array is launched.
struct sweep_shape {
  unsigned block_size = 512;  ///< Up to 1024.
  unsigned loads = 4;         ///< Vectors of 16 bytes that a thread has in flight: 2, 4 or 8.
  unsigned blocks_per_multiprocessor = 4;
};

/// Returns the kernel of that shape, for what the runtime says of it. \throws std::invalid_argument  another `loads`
[[nodiscard]] const void* read_kernel(unsigned loads);
[[nodiscard]] const void* write_kernel(unsigned loads);
[[nodiscard]] const void* copy_kernel(unsigned loads);

/// Reads the `n` vectors of 16 bytes at `in` (device, aligned to 16 bytes) and writes one word to `*sink` only where
/// all bits of their exclusive or are set, so that no load can be left out. Does not synchronise. \throws device_error
void read_everything(const void* in, std::size_t n, std::uint32_t* sink, const sweep_shape& shape = {});

/// Writes `word` to all words of the `n` vectors of 16 bytes at `out` (device, aligned to 16 bytes). Does not
/// synchronise. \throws device_error
void write_everything(void* out, std::size_t n, std::uint32_t word, const sweep_shape& shape = {});

/// Copies `n` vectors of 16 bytes from `in` to `out` (device, aligned to 16 bytes, disjoint). Does not synchronise.
/// \throws device_error
void copy_everything(const void* in, void* out, std::size_t n, const sweep_shape& shape = {});

}  // namespace workbook
