#pragma once
/// \file
/// Bounds of the pieces of an array that are reduced independently: rows of a matrix, or segments.
///
/// A walk through all pieces passes n elements and `count` ends, where each end follows the last element of its piece.
/// Elements and ends are the walk's items. Equal numbers of items are equal shares of the work, however long the pieces
/// are: the idea of merge paths (Merrill and Garland, Merge-based parallel sparse matrix-vector multiplication).

#include <cstddef>
#include <limits>

#include "reductions/shuffle.cuh"

namespace workbook {

/// A position in that walk. The next item is an element, or the end of the piece if all its elements have been passed.
struct place {
  std::size_t piece;    ///< The number of ends passed, which is the number of the first piece that hasn't ended.
  std::size_t element;  ///< The number of elements passed.
};

/// The places where a warp's share begins and ends.
struct share_of_warp {
  place from, to;
};

/// First element and length of a piece.
struct extent {
  std::size_t first, n;
};

/// The rows of a matrix. Its elements are counted as if there were no gaps between the rows.
template <bool Gaps>
struct strided_rows {
  static constexpr bool neighbours = !Gaps;    ///< True if each piece begins in memory where the one before it ends.
  static constexpr bool may_be_equal = false;  ///< All are equally long anyway, so there is nothing to check.
  std::size_t rows, columns;
  std::size_t stride;  ///< Elements from the start of a row to the start of the next one; at least `columns`.

  __host__ __device__ std::size_t count() const { return rows; }
  __host__ __device__ std::size_t items() const { return rows * columns + rows; }
  __device__ std::size_t begin(std::size_t row) const { return row * columns; }
  __device__ std::size_t end(std::size_t row) const { return (row + 1) * columns; }
  /// These have the same meaning as in offset_segments below.
  struct limits {};
  __device__ unsigned equal_length() const { return static_cast<unsigned>(columns); }
  __device__ limits ask(std::size_t) const { return {}; }
  __device__ bool are_equal(std::size_t, limits) const { return true; }
  __device__ extent where(std::size_t row, limits) const { return {begin(row), columns}; }
  /// Returns the index in memory of element `i` of the walk, which is in row `row`.
  __device__ std::size_t address(std::size_t row, std::size_t i) const {
    return Gaps ? i + row * (stride - columns) : i;
  }
  __device__ share_of_warp share(std::size_t first, std::size_t last) const { return {at(first), at(last)}; }

 private:
  __device__ place at(std::size_t item) const {
    const std::size_t row = item / (columns + 1);
    return {row, item - row};
  }
};

/// Segments of an array, given by their offsets: segment s has elements `offsets[s]` to `offsets[s + 1]` - 1.
template <typename Offset>
struct offset_segments {
  static constexpr bool neighbours = true, may_be_equal = true;
  const Offset* offsets;  ///< Device, segments + 1 of them, in non-decreasing order.
  std::size_t segments;
  std::size_t n;  ///< Elements of the array: no offset is larger.
  /// The length of each segment if they are equally long and cover the array; 0 if that is impossible.
  unsigned maybe_equal = segments > 0 && n % segments == 0 && n / segments < std::size_t{1} << 31 &&
                                 n <= static_cast<std::size_t>(std::numeric_limits<Offset>::max())
                             ? static_cast<unsigned>(n / segments)
                             : 0;

  __host__ __device__ std::size_t count() const { return segments; }
  __host__ __device__ std::size_t items() const { return n + segments; }
  __device__ std::size_t begin(std::size_t s) const { return static_cast<std::size_t>(offsets[s]); }
  __device__ std::size_t end(std::size_t s) const { return begin(s + 1); }
  __device__ std::size_t address(std::size_t, std::size_t i) const { return i; }

  /// The offsets of a segment, which are loaded early and compared late. In between, its elements can be loaded from
  /// where they are if all segments are equally long.
  struct limits {
    Offset begin, end;
  };
  __device__ unsigned equal_length() const { return maybe_equal; }
  __device__ limits ask(std::size_t s) const { return {offsets[s], offsets[s + 1]}; }
  /// Compares values of type Offset: converting them first would wait for them before the elements have been requested.
  __device__ bool are_equal(std::size_t s, limits l) const {
    const auto first = static_cast<Offset>(s * maybe_equal);
    return l.begin == first && l.end == first + static_cast<Offset>(maybe_equal);
  }
  __device__ extent where(std::size_t, limits l) const {
    const auto first = static_cast<std::size_t>(l.begin);
    return {first, static_cast<std::size_t>(l.end) - first};
  }

  /// Finds both places at once, each with half a warp. All lanes call it, with equal arguments.
  ///
  /// A search among m ends takes log2(m) dependent memory accesses if each looks at one end, and log16(m) if each looks
  /// at 16 ends. The first access looks where the place is if all segments are equally long; then no other is needed.
  __device__ share_of_warp share(std::size_t first, std::size_t last) const {
    constexpr unsigned half_warp = warp_size / 2;
    const unsigned lane = threadIdx.x % warp_size;
    const unsigned half = lane / half_warp, mine = lane % half_warp;
    const std::size_t item = half == 0 ? first : last;
    // The place is after the ends of all segments before `low`, and not after the end of segment `high`.
    std::size_t low = 0, high = segments;
    const std::size_t guess = static_cast<std::size_t>(static_cast<double>(item) / static_cast<double>(items()) *
                                                       static_cast<double>(segments));
    std::size_t from = guess < half_warp / 2 ? 0 : guess - half_warp / 2;
    if (from + half_warp > segments) from = segments < half_warp ? 0 : segments - half_warp;
    std::size_t step = 1;
    while (__any_sync(~0u, low < high)) {
      const std::size_t s = from + mine * step;
      const bool passed = s < low || (s < high && end(s) + s < item);
      const unsigned number = __popc(__ballot_sync(~0u, passed) >> half * half_warp & 0xffff);
      // After the search has ended, low equals high and stays so.
      if (number > 0) low = max(low, min(high, from + (number - 1) * step + 1));
      if (number < half_warp) high = max(low, min(high, from + number * step));
      step = (high - low + half_warp - 1) / half_warp;
      from = low + (step > 0 ? step - 1 : 0);
    }
    const place found{low, item - low};
    return {shuffle_from(~0u, found, 0), shuffle_from(~0u, found, half_warp)};
  }
};

}  // namespace workbook
