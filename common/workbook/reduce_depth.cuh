#pragma once
/// \file
/// The number of additions between an element and the result of `reduce`, for the error bound.

#include <cstddef>

#include "reductions/reduce.cuh"

namespace workbook {

/// Returns the number of additions on the longest path from an element of `input` to the result of `reduce`, on the
/// current device.
template <reducible Input>
[[nodiscard]] std::size_t depth_of_reduce(const Input& input) {
  constexpr std::size_t of_a_block = 10;  // two trees of warps, of 32 values each
  const reduce_shape shape = shape_of_reduce(input);
  const std::size_t threads = std::size_t{shape.grid_size} * shape.block_size;
  // Values of the slow path, values of the fast path, and the independent sums in a thread.
  const std::size_t slow = ceil_div(input.n - input.vectors * Input::per_vector, threads);
  const std::size_t of_a_thread = slow + ceil_div(input.vectors, threads) + Input::per_vector;
  return of_a_thread + of_a_block + ceil_div(shape.grid_size, shape.block_size) + of_a_block;
}

}  // namespace workbook
