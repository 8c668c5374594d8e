#pragma once
/// \file
/// Reductions of rows, columns, segments and runs of keys, for a test that is built by the host compiler.

#include <cstddef>
#include <span>
#include <vector>

#include "reductions/reduce_kernels.hpp"

namespace workbook {

/// The layout of a matrix, in elements.
struct layout {
  std::size_t rows, columns, stride;
  [[nodiscard]] std::size_t elements() const { return rows == 0 || columns == 0 ? 0 : (rows - 1) * stride + columns; }
};

/// Copies `elements` to the device, `offset_bytes` after the start of an allocation that ends with them, and reduces
/// rows (or columns) `calls` times on its own stream with one workspace. Returns the results of each call. Defined for
/// the instances in shapes_kernels.cu. Synchronises. \throws device_error
template <typename Acc, typename T, typename Op>
[[nodiscard]] std::vector<std::vector<Acc>> rows_in_one_launch(const std::vector<T>& elements, const layout& l,
                                                               std::size_t offset_bytes, Op op, int calls = 1);
template <typename Acc, typename T, typename Op>
[[nodiscard]] std::vector<std::vector<Acc>> columns_in_one_launch(const std::vector<T>& elements, const layout& l,
                                                                  std::size_t offset_bytes, Op op, int calls = 1);

/// As above, for segments. \param offsets  one more than the number of segments
template <typename Acc, typename T, typename Offset, typename Op>
[[nodiscard]] std::vector<std::vector<Acc>> segments_in_one_launch(const std::vector<T>& elements,
                                                                   const std::vector<Offset>& offsets,
                                                                   std::size_t offset_bytes, Op op, int calls = 1);

/// The keys and sums of the runs of one call.
template <typename Key, typename Acc>
struct runs_of_keys {
  std::vector<Key> keys;
  std::vector<Acc> sums;
  friend bool operator==(const runs_of_keys&, const runs_of_keys&) = default;
};

/// As above, for runs of equal keys, with a workspace for all elements. Call k reduces the first `counts[k]`
/// elements.
template <typename Acc, typename Key, typename T, typename Op>
[[nodiscard]] std::vector<runs_of_keys<Key, Acc>> runs_in_one_launch(const std::vector<Key>& keys,
                                                                     const std::vector<T>& elements, Op op,
                                                                     const std::vector<std::size_t>& counts);

/// Returns the largest number of bytes of local memory in any kernel of rows, columns or segments that these types may
/// launch. If this isn't 0, registers are spilled.
template <typename Acc, typename T, typename Op>
[[nodiscard]] std::size_t spilled_bytes_of_shapes();

/// Captures `reduce`, `reduce_segments` and `reduce_rows` of one array into a graph, and replays it for each of the
/// `inputs`, which have equal sizes, with one workspace per call. Returns each replay's sum, sums of segments, and sums
/// of rows of `columns` elements. \param offsets  one more than the number of segments. Synchronises. \throws
/// device_error
[[nodiscard]] std::vector<std::vector<int>> replayed_in_graph(const std::vector<std::vector<int>>& inputs,
                                                              const std::vector<int>& offsets, std::size_t columns);

/// Reduces more than 2^32 bytes of ones, as one row, three columns, two segments and one run. Returns true if all sums
/// are right. Synchronises. \throws device_error
[[nodiscard]] bool right_beyond_32_bits();

/// Copies `offsets` to the device and returns the result of `find_wrong_offset`. Synchronises. \throws device_error
template <typename Offset>
[[nodiscard]] unsigned long long wrong_offset_on_device(const std::vector<Offset>& offsets, std::size_t n);

/// Calls `check_offsets`, which is not declared in any header for the host. \throws std::invalid_argument
template <typename Offset>
void check_offsets_on_host(const std::vector<Offset>& offsets, std::size_t n);

}  // namespace workbook
