#pragma once
/// \file
/// How the reduction in one launch is launched.

#include <algorithm>
#include <cstddef>

#include "device/launch.cuh"

namespace workbook {

/// How a reduction is launched.
struct reduce_shape {
  unsigned grid_size = 1;
  unsigned block_size = 256;  ///< A multiple of 32, at most 1024.
  unsigned depth = 4;         ///< Loads in flight a thread.
  bool one_round = false;     ///< No thread takes more than `depth` loads, and one element of the slow path.
};

/// Returns the launch shape for an input on the current device. What `build/bin/tune` is for: the numbers in this
/// function. They were found on an H200.
template <typename Input>
reduce_shape shape_of_reduce(const Input& input) {
  const std::size_t rest = input.n - input.vectors * Input::per_vector;
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
  if (input.n * Input::bytes_per_element > 8 * l2_cache_bytes()) return {8 * several, 1024, 8};
  return {std::min(grid_of(512, 2), 3 * several / 2), 512, 2};
}

}  // namespace workbook
