#pragma once
/// \file
/// Pairs of an element type and an accumulator type, each with the book's and the library's reduction.

#include <cstddef>
#include <string>
#include <vector>

#include "reductions/choices.hpp"

namespace workbook {

/// An operation on elements of one type, by the book and by the library. All pointers are to device memory unless
/// stated otherwise. Functions that only write there do not synchronise.
struct type_pair {
  std::string operation;  ///< "sum", "minimum", "arg max"
  std::string element, result;
  std::size_t element_bytes, result_bytes;
  std::size_t workspace_bytes;  ///< Needed by `ours`, zeroed once.
  /// Fills `in` for n elements with values whose reduction is exact in any order.
  void (*fill)(void* in, std::size_t n);
  void (*ours)(const void* in, void* out, std::size_t n, void* workspace);
  /// As `ours`, but with an algorithm that `can_choose` allows.
  void (*ours_in_way)(const reduce_choice& way, const void* in, void* out, std::size_t n, void* workspace);
  bool (*can_choose)(const reduce_choice& way, std::size_t n);  ///< For an array with an aligned start.
  std::size_t (*library_bytes)(std::size_t n);
  void (*library)(const void* in, void* out, std::size_t n, void* workspace, std::size_t bytes);
  /// Reduces the same elements on the host, one after the other, and returns true if `result` (host) is the same.
  bool (*is_right)(const void* result, std::size_t n);
};

/// Returns all pairs, on the current device.
[[nodiscard]] std::vector<type_pair> type_pairs();

}  // namespace workbook
