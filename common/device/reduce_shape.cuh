#pragma once
/// \file
/// How device/reduce.cuh cuts its input, and how it is launched.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "device/launch.cuh"
#include "device/vector.cuh"

namespace workbook {

/// The input, cut where 16-byte loads may begin and end.
template <typename T>
struct reduce_input {
  /// Elements a load brings; 1 where 16 bytes hold no whole number of elements, and then there are no vectors.
  static constexpr unsigned per_vector = sizeof(uint4) % sizeof(T) == 0 ? sizeof(uint4) / sizeof(T) : 1;
  const T* in;          ///< Device, n elements, aligned for T.
  std::size_t n;        ///< May be 0.
  std::size_t head;     ///< Elements before the first vector.
  std::size_t vectors;  ///< Of 16 bytes each; behind the last stand fewer than `per_vector` elements.

  reduce_input(const T* first, std::size_t count) : in(first), n(count), head(0), vectors(0) {
    // A T of 8 bytes may stand at any multiple of 4: then no vector ever begins where an element does.
    const bool has_vectors =
        per_vector * sizeof(T) == sizeof(uint4) && reinterpret_cast<std::uintptr_t>(first) % sizeof(T) == 0;
    if (!has_vectors) return;
    head = elements_before_vectors(first, count);
    vectors = (count - head) / per_vector;
  }
};

/// How a reduction is launched.
struct reduce_shape {
  unsigned grid_size = 1;
  unsigned block_size = 256;  ///< A multiple of 32, at most 1024.
  unsigned depth = 4;         ///< Loads in flight a thread.
  bool one_round = false;     ///< No thread takes more than `depth` loads, and one element of the slow path.
};

/// Returns the launch shape for an input on the current device. What `build/bin/tune` is for: the numbers in this
/// function. They were found on an H200.
template <typename T>
reduce_shape shape_of_reduce(const reduce_input<T>& input) {
  const std::size_t rest = input.n - input.vectors * reduce_input<T>::per_vector;
  const std::size_t loads = std::max(input.vectors, rest);
  const unsigned several = 2 * multiprocessor_count();
  const auto grid_of = [&](unsigned block_size, unsigned depth) {
    return std::max(1u, static_cast<unsigned>(ceil_div(loads, std::size_t{block_size} * depth)));
  };
  if (rest <= 32) {
    // What one block has in flight at once is done before several blocks could tell each other.
    if (loads <= 1024 * 4) return {1, std::max(32u, static_cast<unsigned>(ceil_div(loads, 4 * 32) * 32)), 4, true};
    // What all blocks together have in flight at once needs no loop.
    if (loads <= std::size_t{several} * 256 * 4) return {grid_of(256, 4), 256, 4, true};
    if (loads <= std::size_t{several} * 256 * 8) return {grid_of(256, 8), 256, 8, true};
    if (loads <= std::size_t{several} * 512 * 8) return {grid_of(512, 8), 512, 8, true};
  }
  // Beyond the caches what counts is how much is in flight; before, how soon the last block has heard from all others.
  if (input.n * sizeof(T) > 8 * l2_cache_bytes()) return {8 * several, 1024, 8};
  return {std::min(grid_of(512, 2), 3 * several / 2), 512, 2};
}

}  // namespace workbook
