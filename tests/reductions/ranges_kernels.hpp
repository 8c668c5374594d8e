#pragma once
/// \file
/// Pipelines for tests that are built by the host compiler. All functions but fill_late() synchronise, and throw
/// device_error on failure.

#include <cstddef>
#include <optional>
#include <vector>

#include "reductions/buffer_pool.hpp"
#include "reductions/reduce_kernels.hpp"

namespace workbook {

/// Returns the sum of the numbers from `first` up to, but not including, `last`.
template <typename T>
[[nodiscard]] T sum_of_iota(T first, T last);

/// Returns the sum of 3 x + 1 over the elements that aren't multiples of 4. The elements begin `offset_bytes` after the
/// start of an allocation.
[[nodiscard]] long long sum_of_mapped_and_filtered(const std::vector<int>& elements, std::size_t offset_bytes);

/// Returns the sum of table[i] for i from 0 up to 4 * table.size(), after a filter for the valid indices.
[[nodiscard]] int sum_of_table_behind_filter(const std::vector<int>& table);

/// Returns the largest element above `least`, or nothing if there is none. The operator has no identity.
[[nodiscard]] std::optional<int> largest_above(const std::vector<int>& elements, int least);

/// As above, but the reduction starts with `first`.
[[nodiscard]] int largest_above_or(const std::vector<int>& elements, int least, int first);

/// Returns the sum of (x - y)^2 for arrays of two types, each with its own offset.
template <typename X, typename Y>
[[nodiscard]] double sum_of_squared_differences(const std::vector<X>& x, const std::vector<Y>& y,
                                                std::size_t x_offset_bytes, std::size_t y_offset_bytes);

/// Returns the sum of the x, y and z of all elements, which have 12 bytes each.
[[nodiscard]] int sum_of_triples(const std::vector<triple>& elements);

/// Returns 7 x for every element, through an array on the device. The elements begin `offset_bytes` after the start of
/// an allocation.
template <typename T>
[[nodiscard]] std::vector<T> seven_times(const std::vector<T>& elements, std::size_t offset_bytes);

/// Computes the sum of the numbers below `n` `calls` times, with the same workspace and the same array of results.
/// Returns all sums.
[[nodiscard]] std::vector<int> sums_with_kept_workspace(int n, int calls);

/// Returns the sum of the numbers below `n`, and that of an array made from them, with all memory allocated from
/// `pool`.
[[nodiscard]] std::vector<int> sums_from_pool(int n, buffer_pool& pool, cudaStream_t stream);

/// Keeps `stream` busy for `rounds` iterations of a few cycles, then fills `out` (device, n elements) with `value`.
/// Does not synchronise.
void fill_late(int* out, std::size_t n, int value, int rounds, cudaStream_t stream);

}  // namespace workbook
