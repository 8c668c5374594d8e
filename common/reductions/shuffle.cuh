#pragma once
/// \file
/// Shuffles of any type: the hardware moves one 32-bit word per instruction.

#include <cstring>
#include <type_traits>

#include <cuda_runtime_api.h>

namespace workbook {

inline constexpr unsigned warp_size = 32;

/// Applies `move`, which takes and returns a 32-bit word, to every word of `value`.
template <typename T, typename Move>
__device__ T word_by_word(T value, Move move) {
  static_assert(std::is_trivially_copyable_v<T>);
  unsigned words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &value, sizeof(T));
  for (unsigned& word : words) word = move(word);
  memcpy(&value, words, sizeof(T));
  return value;
}

/// Returns the value of the lane `offset` further on, or the caller's own value if that is beyond the warp. Every lane
/// of `mask` must call it; the value of a lane outside `mask` is undefined. Takes ceil(sizeof(T) / 4) instructions.
template <typename T>
__device__ T shuffle_down(unsigned mask, T value, unsigned offset) {
  return word_by_word(value, [=](unsigned word) { return __shfl_down_sync(mask, word, offset); });
}

/// Returns the value of the lane `offset` before, or the caller's own value if there is none. Else like `shuffle_down`.
template <typename T>
__device__ T shuffle_up(unsigned mask, T value, unsigned offset) {
  return word_by_word(value, [=](unsigned word) { return __shfl_up_sync(mask, word, offset); });
}

/// Returns the value of lane `lane` % 32. Else like `shuffle_down`.
template <typename T>
__device__ T shuffle_from(unsigned mask, T value, unsigned lane) {
  return word_by_word(value, [=](unsigned word) { return __shfl_sync(mask, word, static_cast<int>(lane)); });
}

}  // namespace workbook
