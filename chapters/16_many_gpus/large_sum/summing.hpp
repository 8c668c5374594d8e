#pragma once
/// \file
/// Sums of parts that can be combined in any order, because their bits depend only on the elements.

#include <array>
#include <cstddef>
#include <string>

#include <cuda_runtime_api.h>

#include "workbook/element.hpp"

namespace chapter16 {

/// The bytes of a sum, on the host or on a GPU: a long long for ints, an unsigned long long for unsigned numbers (both
/// wrap modulo 2^64), or the bins for floating-point numbers (reductions/binned_sum.cuh).
struct alignas(16) sum_bytes {
  std::array<std::byte, 64> bytes{};
};

/// The functions that sum elements of one type.
struct summing {
  std::size_t element_bytes;
  /// Returns the bytes of workspace that a sum on the current GPU needs. The workspace must be zeroed once.
  std::size_t (*workspace_bytes)();
  /// Sums the `n` elements at `in` into `*out` (both device) with one launch on `stream`.
  void (*sum)(const void* in, sum_bytes* out, std::size_t n, void* workspace, cudaStream_t stream);
  /// Returns the sum of no elements.
  sum_bytes (*zero)();
  /// Adds the elements of `part` to `sum`.
  void (*merge)(sum_bytes& sum, const sum_bytes& part);
  /// Returns the sum as a decimal number with all its digits.
  std::string (*text)(const sum_bytes& sum);
  /// Returns the nearest number to the sum, for uses that need no exact one.
  long double (*value)(const sum_bytes& sum);
};

[[nodiscard]] summing summing_of(workbook::element_type type);

}  // namespace chapter16
