#pragma once
/// \file
/// Kernels that use global memory: a walk along pointers, additions of many threads at once, loads and nothing else.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace workbook::machine {

/// Writes to place `i` of `places` (device, `stride` bytes each, a multiple of 8) the address of place `next[i]`
/// (device, `count` of them). Does not synchronise. \throws device_error
void link_places(std::byte* places, std::size_t stride, const std::uint32_t* next, unsigned count);

/// One thread walks `warm_up` steps from the first place, then `steps` more: each load depends on the one before it.
/// `result` (device): the cycles of the second part, and the address where the walk ends. Does not synchronise. \throws
/// device_error
void walk(const std::byte* places, unsigned warm_up, unsigned steps, std::uint64_t* result);

/// The threads that add, and the words that they add to. Words are 4 bytes.
struct atomic_pattern {
  unsigned adding_lanes;  ///< Per warp: 1 or 32.
  unsigned lane_step;     ///< Words from a lane's word to the next lane's; 0: all lanes of a warp share one.
  unsigned warp_step;     ///< Words from a warp's first word to the next warp's; 0: all warps share them.
};

/// Each adding thread adds 1 `additions` times to its word of `words` (device, zeroed by the caller). Does not
/// synchronise. \throws device_error \tparam T  int or float
template <typename T>
void add_to_words(T* words, atomic_pattern where, unsigned additions, unsigned grid_size, unsigned block_size);

/// A kernel (const void* in, unsigned rounds, std::uint32_t never, std::uint32_t* sink). In each iteration, every
/// thread of the grid loads `loads` vectors of `vector_bytes` bytes, side by side with its neighbours, and needs all of
/// them before the next iteration. If the exclusive or of a thread's words is `never`, it is written to `*sink`.
struct load_kernel {
  const void* kernel;
  unsigned loads;
  unsigned vector_bytes;
};

/// 1, 2, 4 and 8 loads of 4, 8 and 16 bytes.
[[nodiscard]] std::vector<load_kernel> load_kernels();

/// The same parameters. A block loads `loads` ints per thread, side by side with the next block, and ends. `rounds` is
/// ignored.
[[nodiscard]] std::vector<load_kernel> short_lived_kernels();

}  // namespace workbook::machine
