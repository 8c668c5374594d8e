#pragma once
/// \file
/// Kernels that use global memory: a walk along pointers, additions of many threads at once, loads and nothing else,
/// and the memory of another GPU.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace workbook::machine {

/// Writes to place `i` of `places` (device, `stride` bytes each, a multiple of 8) the address of place `next[i]`
/// (device, `count` of them). Does not synchronise. \throws device_error
void link_places(std::byte* places, std::size_t stride, const std::uint32_t* next, unsigned count);

/// One thread walks `warm_up` steps from the first place, then `steps` more: no load can begin before the one in front
/// of it has arrived. `result` (device): the cycles of these, and the address where the walk ends. Does not
/// synchronise. \throws device_error
void walk(const std::byte* places, unsigned warm_up, unsigned steps, std::uint64_t* result);

/// Who adds, and where. Words are 4 bytes.
struct atomic_pattern {
  unsigned adding_lanes;  ///< Of each warp: 1 or 32.
  unsigned lane_step;     ///< Words from a lane's word to the next lane's: 0, all of a warp meet in one.
  unsigned warp_step;     ///< Words from a warp's first word to the next warp's: 0, all warps meet.
};

/// Each adding thread adds 1 `additions` times to its word of `words` (device, zeroed by the caller). Does not
/// synchronise. \throws device_error \tparam T  int or float
template <typename T>
void add_to_words(T* words, atomic_pattern where, unsigned additions, unsigned grid_size, unsigned block_size);

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

/// Kernels (P* to, const P* from, unsigned count) that copy `count` words or vectors, the grid side by side, in as many
/// rounds as that takes.
extern const void* const word_moving_kernel;    ///< Of 4 bytes.
extern const void* const vector_moving_kernel;  ///< Of 16 bytes.

/// A kernel (uint4* own, uint4* other, unsigned count): adds the other's vectors to its own, and writes the sums to
/// both.
extern const void* const sharing_kernel;

/// A kernel (unsigned* own, unsigned* other, unsigned first, unsigned last), of one thread: for every second number
/// from `first` up to `last` it waits until that stands in `*own`, and then writes the next into `*other`. Both are
/// zeroed.
extern const void* const answering_kernel;

}  // namespace workbook::machine
