#pragma once
/// \file
/// Additions to global memory that many threads make at once.

#include <cstddef>

namespace workbook::machine {

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

}  // namespace workbook::machine
