#pragma once
/// \file
/// Launch shapes of the reduction in one launch.

#include <algorithm>
#include <cstddef>

#include <vector_types.h>

#include "reductions/launch.cuh"
#include "reductions/reduce_input.cuh"
#include "reductions/tuned.hpp"

namespace workbook {

/// The launch shape of a reduction.
struct reduce_shape {
  unsigned grid_size = 1;
  unsigned block_size = 256;  ///< A multiple of 32, at most 1024.
  unsigned depth = 4;         ///< Loads in flight per thread.
  bool one_round = false;     ///< No thread takes more than `depth` loads and one element of the slow path.
  bool alone = false;         ///< One block of a kernel that is compiled for its size and has no loop.
};

/// The bytes of registers that a 16-byte load fills, which are more if each element comes with an index.
template <typename Input>
inline constexpr std::size_t bytes_in_registers = Input::per_vector*(is_array<Input> &&
                                                                             sizeof(typename Input::value_type) >
                                                                                 Input::bytes_per_element
                                                                         ? sizeof(typename Input::value_type)
                                                                         : Input::bytes_per_element);

/// Loads in flight per thread in a large input. Loads of two arrays take twice the registers, and so do elements with
/// an index: with 8 of them, a few registers would be spilled. If nothing is read, nothing needs to be in flight.
template <typename Input>
inline constexpr unsigned max_in_flight = Input::bytes_per_element == 0 || bytes_in_registers<Input> > sizeof(uint4)
                                              ? 4
                                              : 8;

/// True if a single block may have four loads per thread. Elements narrower than a register would be spilled.
template <typename Input>
inline constexpr bool alone_with_four = is_array<Input>&& Input::bytes_per_element >= sizeof(unsigned);

/// The largest number of blocks per multiprocessor in any shape. A workspace has mailboxes for that many.
inline constexpr unsigned max_blocks_per_multiprocessor = 16;

/// Returns the table for arrays of elements of this size.
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

/// Returns the number of an input's 16-byte loads, or of its loads of single elements if there are more of these.
template <typename Input>
std::size_t loads_of(const Input& input) {
  return std::max(input.vectors, input.n - input.vectors * Input::per_vector);
}

/// Returns true if `choice` is possible for this input on the current device.
template <typename Input>
bool can_choose(const reduce_choice& choice, const Input& input) {
  if (choice.way == reduce_way::rounds) return true;
  // The smallest block has 32 threads, and each takes at most one element of the slow path.
  if (input.n - input.vectors * Input::per_vector > 32) return false;
  const std::size_t loads = loads_of(input);
  if (choice.way == reduce_way::one_block) return loads <= std::size_t{1024} * (alone_with_four<Input> ? 4 : 2);
  return ceil_div(loads, std::size_t{choice.block_size} * choice.loads) <=
         std::size_t{max_blocks_per_multiprocessor} * multiprocessor_count();
}

/// Returns the launch shape of `input` for a choice that `can_choose` allows.
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
  const unsigned depth = choice.loads == 8 ? max_in_flight<Input> : choice.loads;
  const unsigned most = choice.blocks * multiprocessor_count();
  return {std::min(units(std::size_t{choice.block_size} * depth), most), choice.block_size, depth};
}

/// Returns the launch shape for an input on the current device: for arrays, from the tables made by `build/bin/tune`.
template <typename Input>
reduce_shape shape_of_reduce(const Input& input) {
  // Generated numbers (no loads): one wave of blocks with long loops. Registers limit the block size. Not tuned.
  if (Input::bytes_per_element == 0) {
    const unsigned blocks = static_cast<unsigned>(std::max(std::size_t{1}, ceil_div(loads_of(input), 512)));
    return {std::min(blocks, 2 * multiprocessor_count()), 512, max_in_flight<Input>};
  }
  if constexpr (is_array<Input>) {
    const std::size_t loads = loads_of(input);
    const std::size_t scaled = ceil_div(loads * tuned_multiprocessors, multiprocessor_count());
    const reduce_choice& fastest = row_at(tuned_reduce<Input>(), loads, scaled);
    if (can_choose(fastest, input)) return shape_of(fastest, input);
  }
  // Pipelines, and elements that no 16-byte load can read. They are not tuned and always have a loop: without it, each
  // load of a pipeline has a test and would wait for the previous load's stages. For data larger than the caches, the
  // bytes in flight matter; otherwise, the time until the last block has heard from the others does.
  const std::size_t bytes = input.n * Input::bytes_per_element, cache = l2_cache_bytes();
  constexpr unsigned most = max_in_flight<Input>;
  if (bytes <= 8 * cache) return shape_of<Input>({reduce_way::rounds, 2, 512, 3}, input);
  const unsigned blocks = bytes > 160 / most * cache ? max_blocks_per_multiprocessor : 2;
  return {blocks * multiprocessor_count(), 1024, most};
}

}  // namespace workbook
