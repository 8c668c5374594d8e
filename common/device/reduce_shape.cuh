#pragma once
/// \file
/// How the reduction in one launch is launched.

#include <algorithm>
#include <cstddef>

#include <vector_types.h>

#include "device/launch.cuh"
#include "device/reduce_input.cuh"

namespace workbook {

/// How a reduction is launched.
struct reduce_shape {
  unsigned grid_size = 1;
  unsigned block_size = 256;  ///< A multiple of 32, at most 1024.
  unsigned depth = 4;         ///< Loads in flight a thread.
  bool one_round = false;     ///< No thread takes more than `depth` loads, and one element of the slow path.
};

/// Bytes of registers that a load of 16 bytes fills: more where an index comes with each element.
template <typename Input>
inline constexpr std::size_t bytes_in_registers = Input::per_vector*(is_array<Input> &&
                                                                             sizeof(typename Input::value_type) >
                                                                                 Input::bytes_per_element
                                                                         ? sizeof(typename Input::value_type)
                                                                         : Input::bytes_per_element);

/// Loads in flight a thread, where much is to be done. Those of two arrays take twice the registers, and so do elements
/// with an index: with 8 of each a few would be spilled; and where nothing is read, none need be in flight.
template <typename Input>
inline constexpr unsigned most_in_flight = Input::bytes_per_element == 0 || bytes_in_registers<Input> > sizeof(uint4)
                                               ? 4
                                               : 8;

/// Whether one block may have four loads a thread: elements narrower than a register would be spilled.
template <typename Input>
inline constexpr bool alone_with_four = is_array<Input>&& Input::bytes_per_element >= sizeof(unsigned);

/// No shape has more blocks per multiprocessor: so many mailboxes a workspace has.
inline constexpr unsigned most_blocks_per_multiprocessor = 16;

/// Returns the launch shape for an input on the current device. What `build/bin/tune` is for: the numbers in this
/// function. They were found on an H200.
template <typename Input>
reduce_shape shape_of_reduce(const Input& input) {
  const std::size_t rest = input.n - input.vectors * Input::per_vector;
  const std::size_t loads = std::max(input.vectors, rest);
  const unsigned multiprocessors = multiprocessor_count();
  const auto units = [&](std::size_t of) { return std::max(1u, static_cast<unsigned>(ceil_div(loads, of))); };
  // Numbers that no memory gives: long rounds, one wave of blocks. By the compiler's registers, this one; not tuned.
  if (Input::bytes_per_element == 0) return {std::min(units(512), 2 * multiprocessors), 512, most_in_flight<Input>};
  // Not for pipelines: with a test of its own, each load of a thread would wait for the stages behind the one before.
  if (is_array<Input> && rest <= 32) {  // an element of the slow path for each thread of the smallest block
    // What one block has in flight at once is done before several blocks could tell each other.
    // One load for each thread, then two, then four: so it was fastest, in steps of 0.16 us.
    if (loads <= 256) return {1, 32 * units(32), 2, true};
    if (loads <= 1024 * 2) return {1, 32 * units(32 * 2), 2, true};
    if (alone_with_four<Input> && loads <= 1024 * 4) return {1, 32 * units(32 * 4), 4, true};
    // Few loads a thread: where the memory is cold, so is the code, and what is not there need not be fetched.
    const unsigned block_size = loads <= std::size_t{multiprocessors} * 256 * 2 ? 256 : 512;
    const unsigned grid_size = units(block_size * 2);
    if (grid_size <= 8 * multiprocessors) return {grid_size, block_size, 2, true};
  }
  // Beyond the caches what counts is how much is in flight; before, how soon the last block has heard from all others.
  // Of 2^28 ints the largest took 256 us in 16 blocks a multiprocessor, 242 in two; 2 GiB want 16. Not known why.
  const std::size_t bytes = input.n * Input::bytes_per_element, cache = l2_cache_bytes();
  constexpr unsigned most = most_in_flight<Input>;
  if (bytes > 8 * cache)
    return {(bytes > 160 / most * cache ? most_blocks_per_multiprocessor : 2) * multiprocessors, 1024, most};
  return {std::min(units(512 * 2), 3 * multiprocessors), 512, 2};
}

}  // namespace workbook
