#pragma once
/// \file
/// Kernels that only move memory, at the highest possible speed of reading, writing and copying.

#include <cstddef>
#include <cstdint>

namespace workbook {

/// The launch parameters of a sweep over an array.
struct sweep_shape {
  unsigned block_size = 512;  ///< Up to 1024.
  unsigned loads = 4;         ///< The number of 16-byte vectors that a thread has in flight: 2, 4 or 8.
  unsigned blocks_per_multiprocessor = 4;
};

/// Returns the kernel with this number of loads, to query the runtime about it. \throws std::invalid_argument  if
/// `loads` is not 2, 4 or 8
[[nodiscard]] const void* read_kernel(unsigned loads);
[[nodiscard]] const void* write_kernel(unsigned loads);
[[nodiscard]] const void* copy_kernel(unsigned loads);

/// Reads the `n` vectors of 16 bytes at `in` (device, aligned to 16 bytes). The compiler cannot remove a load, because
/// a word is written to `*sink` if all bits of the vectors' exclusive or are set. Does not synchronise. \throws
/// device_error
void read_everything(const void* in, std::size_t n, std::uint32_t* sink, const sweep_shape& shape = {});

/// Writes `word` to all words of the `n` vectors of 16 bytes at `out` (device, aligned to 16 bytes). Does not
/// synchronise. \throws device_error
void write_everything(void* out, std::size_t n, std::uint32_t word, const sweep_shape& shape = {});

/// Copies `n` vectors of 16 bytes from `in` to `out` (device, aligned to 16 bytes, disjoint). Does not synchronise.
/// \throws device_error
void copy_everything(const void* in, void* out, std::size_t n, const sweep_shape& shape = {});

}  // namespace workbook
