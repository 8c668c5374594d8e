#pragma once
/// \file
/// Kernels that use global memory: a walk along pointers, atomic additions by many threads at once, and loads only.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace workbook::machine {

/// Writes the address of place `next[i]` to place `i`, for each of the `count` places at `places` (device, `stride`
/// bytes each, a multiple of 8). `next` is in device memory, too. Does not synchronise. \throws device_error
void link_places(std::byte* places, std::size_t stride, const std::uint32_t* next, unsigned count);

/// One thread walks `warm_up` steps from the first place, and then `steps` more. Each load depends on the previous one.
/// Stores the cycles of the second part, and then the address where the walk ends, in `result` (device). Does not
/// synchronise. \throws device_error
void walk(const std::byte* places, unsigned warm_up, unsigned steps, std::uint64_t* result);

/// Which threads add, and to which words. A word has 4 bytes.
struct atomic_pattern {
  unsigned adding_lanes;  ///< Lanes of each warp that add: 1 or 32.
  unsigned lane_step;     ///< Distance in words from a lane's word to the next lane's; 0 if all lanes share one.
  unsigned warp_step;     ///< Distance in words from a warp's first word to the next warp's; 0 if all share one.
};

/// Each adding thread adds 1 `additions` times to its word of `words` (device, zeroed by the caller). Does not
/// synchronise. \throws device_error \tparam T  int or float
template <typename T>
void add_to_words(T* words, atomic_pattern where, unsigned additions, unsigned grid_size, unsigned block_size);

/// A kernel (const void* in, unsigned rounds, std::uint32_t never, std::uint32_t* sink). In each iteration, every
/// thread of the grid loads `loads` vectors of `vector_bytes` bytes, next to those of its neighbours, and needs all of
/// them before the next iteration. If the XOR of a thread's words is `never`, the thread writes it to `*sink`.
struct load_kernel {
  const void* kernel;
  unsigned loads;
  unsigned vector_bytes;
};

/// Returns kernels with 1, 2, 4 and 8 loads of 4, 8 and 16 bytes.
[[nodiscard]] std::vector<load_kernel> load_kernels();

/// Returns kernels with the same parameters in which each block loads `loads` ints per thread, next to those of the
/// next block, and then ends. `rounds` is ignored.
[[nodiscard]] std::vector<load_kernel> short_lived_kernels();

}  // namespace workbook::machine
