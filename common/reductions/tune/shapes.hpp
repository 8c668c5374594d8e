#pragma once
/// \file
/// The shapes of reductions that are raced with the libraries'.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace workbook {

/// The pieces that are reduced independently.
enum class pieces_kind { rows, columns, segments, uneven_segments, runs, uneven_runs };

[[nodiscard]] std::string_view name_of(pieces_kind kind);

/// The lengths of uneven pieces. Zipf's law: the length of rank r is proportional to 1 / r, and ranks are in random
/// order; then many pieces are empty. Mostly empty: three of four are, and the others are equally long. Waiting times:
/// lengths are those between random events; few are much longer than the average.
enum class length_law { zipf, mostly_empty, waiting_times };

/// `count` pieces of `length` elements; for uneven ones, on average.
struct raced_shape {
  pieces_kind kind;
  std::size_t length, count;
  length_law law = length_law::zipf;  ///< Law of uneven lengths.
  std::size_t offset = 0;             ///< Elements between the start of the allocation and the first one.
  bool wide_keys = false;             ///< Keys have 64 bits.
  [[nodiscard]] std::size_t elements() const { return length * count; }
  [[nodiscard]] bool is_uneven() const {
    return kind == pieces_kind::uneven_segments || kind == pieces_kind::uneven_runs;
  }
  [[nodiscard]] bool is_by_key() const { return kind == pieces_kind::runs || kind == pieces_kind::uneven_runs; }
};

/// Returns the properties of a shape that its kind, length and number don't show, such as ", keys of 64 bits, from
/// element 3"; empty if there are none.
[[nodiscard]] std::string specialities(const raced_shape& shape);

/// Returns the shapes, of 2^10 to 2^28 elements each.
[[nodiscard]] std::vector<raced_shape> raced_shapes();

/// A shape, and the type of its elements: "int" or "float".
struct drawn_shape {
  raced_shape shape;
  std::string type;
};

/// Returns `count` random shapes: kinds, types, lengths, numbers, laws and starts are drawn with `seed`, the number of
/// elements and the length in such a way that each power of two is equally likely. At most `most` elements.
[[nodiscard]] std::vector<drawn_shape> drawn_shapes(std::size_t count, std::uint64_t seed, std::size_t most);

/// Returns `count` + 1 offsets of a shape's pieces.
[[nodiscard]] std::vector<int> offsets_of(const raced_shape& shape);

}  // namespace workbook
