#pragma once
/// \file
/// Reductions of rows, columns, segments and runs of keys for a test that the host compiler builds.

#include <cstddef>
#include <span>
#include <vector>

#include "device/reduce_kernels.hpp"

namespace workbook {

/// Where the rows of a matrix stand, in elements.
struct layout {
  std::size_t rows, columns, stride;
  [[nodiscard]] std::size_t elements() const { return rows == 0 || columns == 0 ? 0 : (rows - 1) * stride + columns; }
};

/// Copies `elements` to the device, `offset_bytes` behind the start of an allocation that ends with them, and reduces
/// rows (or columns) `calls` times on a stream of its own with one workspace. Returns the results of each call. Defined
/// for the instances in shapes_kernels.cu. Synchronises. \throws device_error
template <typename Acc, typename T, typename Op>
[[nodiscard]] std::vector<std::vector<Acc>> rows_in_one_launch(const std::vector<T>& elements, const layout& l,
                                                               std::size_t offset_bytes, Op op, int calls = 1);
template <typename Acc, typename T, typename Op>
[[nodiscard]] std::vector<std::vector<Acc>> columns_in_one_launch(const std::vector<T>& elements, const layout& l,
                                                                  std::size_t offset_bytes, Op op, int calls = 1);

/// As above, for segments. \param offsets  one more than segments
template <typename Acc, typename T, typename Offset, typename Op>
[[nodiscard]] std::vector<std::vector<Acc>> segments_in_one_launch(const std::vector<T>& elements,
                                                                   const std::vector<Offset>& offsets,
                                                                   std::size_t offset_bytes, Op op, int calls = 1);

/// The runs of a call.
template <typename Key, typename Acc>
struct runs_of_keys {
  std::vector<Key> keys;
  std::vector<Acc> sums;
  friend bool operator==(const runs_of_keys&, const runs_of_keys&) = default;
};

/// As above, for runs of equal keys, with a workspace for `most` elements or as many as there are. Call k takes the
/// first `counts[k]` elements.
template <typename Acc, typename Key, typename T, typename Op>
[[nodiscard]] std::vector<runs_of_keys<Key, Acc>> runs_in_one_launch(const std::vector<Key>& keys,
                                                                     const std::vector<T>& elements, Op op,
                                                                     const std::vector<std::size_t>& counts);

/// Returns the most bytes of local memory that a kernel of rows, columns or segments takes which these types may
/// launch: no more than 0, unless registers are spilled.
template <typename Acc, typename T, typename Op>
[[nodiscard]] std::size_t spilled_bytes_of_shapes();

/// Captures `reduce`, `reduce_segments` and `reduce_rows` of one array into a graph, and replays it for each of the
/// `inputs`, which have equal sizes, with one workspace for each call. Returns each replay's sum, sums of segments, and
/// sums of rows of `columns` elements. \param offsets  one more than segments. Synchronises. \throws device_error
[[nodiscard]] std::vector<std::vector<int>> replayed_in_graph(const std::vector<std::vector<int>>& inputs,
                                                              const std::vector<int>& offsets, std::size_t columns);

/// Reduces more than 2^32 bytes of ones, as one row, three columns, two segments and one run, and says whether all sums
/// are right. Synchronises. \throws device_error
[[nodiscard]] bool right_beyond_32_bits();

/// Returns what `find_wrong_offset` finds in `offsets`, copied to the device. Synchronises. \throws device_error
template <typename Offset>
[[nodiscard]] unsigned long long wrong_offset_on_device(const std::vector<Offset>& offsets, std::size_t n);

/// `check_offsets`, which no header of the host's has. \throws std::invalid_argument
template <typename Offset>
void check_offsets_on_host(const std::vector<Offset>& offsets, std::size_t n);

}  // namespace workbook
