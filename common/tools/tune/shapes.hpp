#pragma once
/// \file
/// The shapes of reductions that are raced with the libraries'.

#include <cstddef>
#include <string_view>
#include <vector>

namespace workbook {

/// What is reduced each for itself.
enum class pieces_kind { rows, columns, segments, uneven_segments, runs, uneven_runs };

[[nodiscard]] std::string_view name_of(pieces_kind kind);

/// `count` pieces of `length` elements; of uneven ones, on average.
struct raced_shape {
  pieces_kind kind;
  std::size_t length, count;
  [[nodiscard]] std::size_t elements() const { return length * count; }
  [[nodiscard]] bool is_uneven() const {
    return kind == pieces_kind::uneven_segments || kind == pieces_kind::uneven_runs;
  }
  [[nodiscard]] bool is_by_key() const { return kind == pieces_kind::runs || kind == pieces_kind::uneven_runs; }
};

/// Returns the shapes, of 2^10 to 2^28 elements each.
[[nodiscard]] std::vector<raced_shape> raced_shapes();

/// Returns `count` + 1 offsets of a shape's pieces. Uneven lengths follow Zipf's law: that of rank r is in proportion
/// to 1 / r, and ranks stand in no order; many pieces are empty then.
[[nodiscard]] std::vector<int> offsets_of(const raced_shape& shape);

}  // namespace workbook
