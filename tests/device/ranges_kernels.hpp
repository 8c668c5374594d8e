#pragma once
/// \file
/// Pipelines for a test that the host compiler builds. All synchronise, and throw device_error.

#include <cstddef>
#include <optional>
#include <vector>

#include "device/buffer_pool.hpp"
#include "device/reduce_kernels.hpp"

namespace workbook {

/// Sum of the numbers from `first` to before `last`.
template <typename T>
[[nodiscard]] T sum_of_iota(T first, T last);

/// Sum of 3 x + 1 over the elements that are no multiple of 4, as a long long; the elements stand `offset_bytes` behind
/// the start of an allocation.
[[nodiscard]] long long sum_of_mapped_and_filtered(const std::vector<int>& elements, std::size_t offset_bytes);

/// Sum of table[i] over the i from 0 to before 4 * size of the table, of those that lie in it.
[[nodiscard]] int sum_of_table_behind_filter(const std::vector<int>& table);

/// The largest of the elements above `least`, by an operator without an identity: nothing where there is none.
[[nodiscard]] std::optional<int> largest_above(const std::vector<int>& elements, int least);

/// As above, beginning with `first`.
[[nodiscard]] int largest_above_or(const std::vector<int>& elements, int least, int first);

/// Sum of (x - y)^2, as a double; arrays of two types, each with its offset.
template <typename X, typename Y>
[[nodiscard]] double sum_of_squared_differences(const std::vector<X>& x, const std::vector<Y>& y,
                                                std::size_t x_offset_bytes, std::size_t y_offset_bytes);

/// Sum of the elements' x, y and z, of 12 bytes each.
[[nodiscard]] int sum_of_triples(const std::vector<triple>& elements);

/// 7 x for every element, through an array on the device; the elements stand `offset_bytes` behind a start.
template <typename T>
[[nodiscard]] std::vector<T> seven_times(const std::vector<T>& elements, std::size_t offset_bytes);

/// Sum of the iota to `n` with a workspace and a result that are kept: `calls` times. Returns all results.
[[nodiscard]] std::vector<int> sums_with_kept_workspace(int n, int calls);

/// Sums of the iota to `n`, and of an array made of it, with all memory from `pool`.
[[nodiscard]] std::vector<int> sums_from_pool(int n, buffer_pool& pool, cudaStream_t stream);

/// Keeps `stream` busy for some rounds of a few cycles, then fills `out` (device, n elements) with `value`. Does not
/// synchronise.
void fill_late(int* out, std::size_t n, int value, int rounds, cudaStream_t stream);

}  // namespace workbook
