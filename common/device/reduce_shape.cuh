#pragma once
/// \file
/// How the reduction in one launch is launched.

#include <algorithm>
#include <cstddef>

#include <vector_types.h>

#include "device/launch.cuh"
#include "device/reduce_input.cuh"
#include "device/tuned.hpp"

namespace workbook {

/// How a reduction is launched.
struct reduce_shape {
  unsigned grid_size = 1;
  unsigned block_size = 256;  ///< A multiple of 32, at most 1024.
  unsigned depth = 4;         ///< Loads in flight a thread.
  bool one_round = false;     ///< No thread takes more than `depth` loads, and one element of the slow path.
  bool alone = false;         ///< One block of a kernel made for its size, in one round.
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

/// The table of an array, by the bytes of an element.
template <typename Input>
constexpr const auto& tuned_reduce() {
  if constexpr (sizeof(typename Input::value_type) > Input::bytes_per_element)
    return tuned_reduce_of_indices;
  else if constexpr (Input::bytes_per_element == 1)
    return tuned_reduce_of_1_byte;
  else if constexpr (Input::bytes_per_element == 2)
    return tuned_reduce_of_2_bytes;
  else if constexpr (Input::bytes_per_element <= 4)
    return tuned_reduce_of_4_bytes;
  else
    return tuned_reduce_of_8_bytes;
}

/// Returns the loads of an input, of 16 bytes or of one element.
template <typename Input>
std::size_t loads_of(const Input& input) {
  return std::max(input.vectors, input.n - input.vectors * Input::per_vector);
}

/// Says whether `reduce` can take an array in that way, on the current device.
template <typename Input>
bool can_choose(const reduce_choice& choice, const Input& input) {
  if (choice.way == reduce_way::rounds) return true;
  // An element of the slow path for each thread of the smallest block.
  if (input.n - input.vectors * Input::per_vector > 32) return false;
  const std::size_t loads = loads_of(input);
  if (choice.way == reduce_way::one_block) return loads <= std::size_t{1024} * (alone_with_four<Input> ? 4 : 2);
  return ceil_div(loads, std::size_t{choice.block_size} * choice.loads) <=
         std::size_t{most_blocks_per_multiprocessor} * multiprocessor_count();
}

/// Returns how `input` is launched in a way that it can be taken.
template <typename Input>
reduce_shape shape_of(const reduce_choice& choice, const Input& input) {
  const auto units = [&](std::size_t of) {
    return static_cast<unsigned>(std::max(std::size_t{1}, ceil_div(loads_of(input), of)));
  };
  switch (choice.way) {
    case reduce_way::one_block: {
      const std::size_t loads = loads_of(input);
      if (loads <= 128) return {1, 64, 2, true, true};
      const unsigned depth = alone_with_four<Input> ? 4 : 2;
      return {1, loads <= 256 * depth ? 256u : 1024u, depth, true, true};
    }
    case reduce_way::one_round:
      return {units(std::size_t{choice.block_size} * choice.loads), choice.block_size, choice.loads, true};
    case reduce_way::rounds:
      break;
  }
  const unsigned depth = choice.loads == 8 ? most_in_flight<Input> : choice.loads;
  const unsigned most = choice.blocks * multiprocessor_count();
  return {std::min(units(std::size_t{choice.block_size} * depth), most), choice.block_size, depth};
}

/// Returns the launch shape for an input on the current device: of arrays, from the tables that `build/bin/tune` makes.
template <typename Input>
reduce_shape shape_of_reduce(const Input& input) {
  // Numbers that no memory gives: long rounds, one wave of blocks. By the compiler's registers, this one; not tuned.
  if (Input::bytes_per_element == 0) {
    const unsigned blocks = static_cast<unsigned>(std::max(std::size_t{1}, ceil_div(loads_of(input), 512)));
    return {std::min(blocks, 2 * multiprocessor_count()), 512, most_in_flight<Input>};
  }
  if constexpr (is_array<Input>) {
    const std::size_t loads = loads_of(input);
    const std::size_t scaled = ceil_div(loads * tuned_multiprocessors, multiprocessor_count());
    const reduce_choice& fastest = row_at(tuned_reduce<Input>(), loads, scaled);
    if (can_choose(fastest, input)) return shape_of(fastest, input);
  }
  // Pipelines, and elements that no load of 16 bytes brings: not tuned, and in rounds. In one round each load of a
  // pipeline, with a test of its own, would wait for the stages behind the one before. Beyond the caches what counts is
  // how much is in flight; before, how soon the last block has heard from all others.
  const std::size_t bytes = input.n * Input::bytes_per_element, cache = l2_cache_bytes();
  constexpr unsigned most = most_in_flight<Input>;
  if (bytes <= 8 * cache) return shape_of<Input>({reduce_way::rounds, 2, 512, 3}, input);
  const unsigned blocks = bytes > 160 / most * cache ? most_blocks_per_multiprocessor : 2;
  return {blocks * multiprocessor_count(), 1024, most};
}

}  // namespace workbook
