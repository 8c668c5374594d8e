#pragma once
/// \file
/// The contract of chapter 13's rows: what each way to do a piece of work is called with.

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

/// What a way gets. All pointers are device; each points at elements of the type that the way is for.
struct call {
  const void* x = nullptr;  ///< n elements; null where the work needs no array.
  const void* y = nullptr;  ///< n elements; null where the work needs no second one.
  void* out = nullptr;      ///< One element; of bags, one a bag; of the map, n bytes; of the softmax, n probabilities.
  std::size_t n = 0;
  unsigned rows = 0, columns = 0;     ///< Of the softmax: n is their product.
  const unsigned* offsets = nullptr;  ///< Of bags: bag b is x[offsets[b]] to before x[offsets[b + 1]].
  std::size_t bags = 0;
  void* workspace = nullptr;              ///< For `workbook::reduce`, of `workspace_bytes()`, zeroed once; of the
                                          ///< softmax, room for two probabilities a row.
  void* partials = nullptr;               ///< Of the iota: room for a sum a block.
  workbook::buffer_pool* pool = nullptr;  ///< Warm: it keeps two buffers of n elements.
  unsigned block_size = 128;
};

/// One way to do a piece of work, for each element type in the order of `workbook::element_type`. Does not synchronise,
/// unless a library does. Errors are cudaGetLastError's or a device_error.
struct way {
  std::string name;
  workbook::role as = workbook::role::compared;
  std::array<void (*)(const call&), 5> run{};
  /// Additions and other roundings on the longest way from an element to the result; of the softmax, the additions of
  /// a row of n columns.
  std::array<std::size_t (*)(std::size_t n), 5> depth{};
  bool attempted = true;
  bool any_start = true;  ///< Arrays may begin off a multiple of 16 bytes.
};

/// Makes a way of a template that has static members `run(const call&)` and `depth(n)`.
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
// The Julia set, a byte a pixel, of the largest square of at most n pixels.
[[nodiscard]] std::vector<way> julia_ways();

/// Elements of the longest bag.
inline constexpr unsigned longest_bag = 1000;

/// Returns the bytes that the workspace of a call must have, whatever the type.
[[nodiscard]] std::size_t workspace_bytes();

/// Returns where each bag of `n` elements begins, and the last one's end: few elements in most, many in some.
[[nodiscard]] std::vector<unsigned> bag_offsets(std::size_t n, std::uint64_t seed);

}  // namespace chapter13
