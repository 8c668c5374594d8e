#pragma once
/// \file
/// Sums whose bits do not depend on the launch shape, for the program that checks and times them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reductions/reduce_shape.cuh"
#include "reductions/tune/promises.hpp"

namespace workbook {

/// The numbers that are summed: numbers of at most 1, numbers of very different magnitudes, or subnormal numbers and
/// their neighbours. All of them have both signs.
enum class summed_input { even, wide, tiny };

/// An input. Its i-th element is number `i * step` modulo `n` of a list. Each `step` that has no factor in common with
/// `n` gives a different order of the same numbers.
struct listed_input {
  summed_input kind = summed_input::even;
  std::size_t n = 0;
  std::uint64_t step = 1;  ///< `step * n` must fit into 64 bits.
};

/// Sums of elements of one type. Pointers are to device memory unless stated otherwise. Functions that write to device
/// memory do not synchronise.
struct summed_type {
  std::string name;
  std::size_t element_bytes;
  std::size_t part_bytes;       ///< Bytes of the result of `part`.
  std::size_t workspace_bytes;  ///< Enough for each of the sums below; zeroed once for each.
  void (*fill)(void* in, const listed_input& what);
  void (*plain)(const void* in, void* out, std::size_t n, void* workspace);  ///< workbook::reduce
  /// workbook::reproducible_sum; `bins` is 2, 3 or 4.
  void (*sum)(unsigned bins, const void* in, void* out, std::size_t n, void* workspace);
  /// The sum with 3 bins, in a given launch shape. \returns true if there is a kernel for this shape
  bool (*sum_in_shape)(const reduce_shape& shape, const void* in, void* out, std::size_t n, void* workspace);
  void (*part)(const void* in, void* out, std::size_t n, void* workspace);  ///< Stores a sum that is not rounded yet.
  /// Returns the bits of the sum of `count` parts (host, one after the other).
  std::uint64_t (*merged)(const std::byte* parts, std::size_t count);
  /// Returns the bits of the sum with 3 bins, element by element on the host.
  std::uint64_t (*on_host)(const listed_input& what);
  /// cub::DeviceReduce::Sum with a promise (promises.hpp). `storage` has `bytes`.
  void (*cub)(promise what, const void* in, void* out, std::size_t n, void* storage, std::size_t bytes);
};

/// Returns the sums for floats and for doubles, on the current device.
[[nodiscard]] std::vector<summed_type> summed_types();

}  // namespace workbook
