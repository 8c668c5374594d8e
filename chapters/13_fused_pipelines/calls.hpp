#pragma once
/// \file
/// The interface of chapter 13's rows: the parameters of the methods, and their entries in the table.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workbook/reduction.hpp"

namespace workbook {
class buffer_pool;
}

namespace chapter13 {

/// The parameters of a method. All pointers are to device memory, and to elements of the type that the method is for.
struct call {
  const void* x = nullptr;  ///< n elements, or null if the method reads no array.
  const void* y = nullptr;  ///< n elements, or null if the method reads only one array.
  void* out = nullptr;      ///< One element. For bags: one per bag; the map: n bytes; the softmax: n probabilities.
  std::size_t n = 0;
  unsigned rows = 0, columns = 0;     ///< For the softmax: n is their product.
  const unsigned* offsets = nullptr;  ///< For bags: bag b is x[offsets[b]] up to, but not including, x[offsets[b + 1]].
  std::size_t bags = 0;
  void* workspace = nullptr;              ///< For `workbook::reduce`: `workspace_bytes()`, zeroed
                                          ///< once. For the softmax: two probabilities per row.
  void* partials = nullptr;               ///< For the iota: one sum per block.
  workbook::buffer_pool* pool = nullptr;  ///< Used before, so that it has two buffers of n elements in its cache.
  unsigned block_size = 128;
};

/// A method for one kind of work, as functions for each type in the order of `workbook::element_type`. They don't
/// synchronise, unless a library does. cudaGetLastError returns errors, or a device_error is thrown.
struct way {
  std::string name;
  workbook::role as = workbook::role::compared;
  std::array<void (*)(const call&), 5> run{};
  /// Additions and other roundings on the longest path from an element to the result. For the softmax, the additions of
  /// a row of n columns.
  std::array<std::size_t (*)(std::size_t n), 5> depth{};
  bool attempted = true;
  bool any_start = true;  ///< True if arrays need not begin at a multiple of 16 bytes.
};

/// Makes a method from a template that has static members `run(const call&)` and `depth(n)`.
template <template <typename> typename Way>
[[nodiscard]] way way_of(std::string name, workbook::role as = workbook::role::compared) {
  return {std::move(name),
          as,
          {&Way<int>::run, &Way<unsigned>::run, &Way<long long>::run, &Way<float>::run, &Way<double>::run},
          {&Way<int>::depth, &Way<unsigned>::depth, &Way<long long>::depth, &Way<float>::depth, &Way<double>::depth}};
}

// The softmax of every row.
[[nodiscard]] way solution_way();
[[nodiscard]] way exercise_way();
[[nodiscard]] std::vector<way> softmax_ways();
// The distance of two arrays: the sum of (x[i] - y[i])^2.
[[nodiscard]] std::vector<way> distance_ways();
[[nodiscard]] std::vector<way> distances_of_libraries();
// The sum of the squares of the elements above 0.
[[nodiscard]] std::vector<way> filter_ways();
[[nodiscard]] std::vector<way> filters_of_libraries();
// The sum of 0, 1, … n - 1.
[[nodiscard]] std::vector<way> iota_ways();
// The sum of every bag.
[[nodiscard]] std::vector<way> bag_ways();
[[nodiscard]] std::vector<way> bags_of_libraries();
// The Julia set, one byte per pixel, of the largest square of at most n pixels.
[[nodiscard]] std::vector<way> julia_ways();

/// Elements of the longest bag.
inline constexpr unsigned longest_bag = 1000;

/// Returns the bytes that the workspace of a call must have, for every type.
[[nodiscard]] std::size_t workspace_bytes();

/// Returns where each bag of `n` elements begins, and where the last one ends. Most are short, and some are long.
[[nodiscard]] std::vector<unsigned> bag_offsets(std::size_t n, std::uint64_t seed);

}  // namespace chapter13
