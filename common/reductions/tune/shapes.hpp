#pragma once
/// \file
/// The shapes of reductions for which the book's reductions are raced with the libraries'.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace workbook {

/// The kinds of pieces that are reduced independently.
enum class pieces_kind { rows, columns, segments, uneven_segments, runs, uneven_runs };

[[nodiscard]] std::string_view name_of(pieces_kind kind);

/// The distributions of uneven pieces' lengths. `zipf`: the length of rank r is proportional to 1 / r, and ranks are in
/// random order, so many pieces are empty. `mostly_empty`: three of four pieces are empty, and the others have equal
/// lengths. `waiting_times`: the lengths are distributed like times between random events, so few are much longer than
/// the average.
enum class length_law { zipf, mostly_empty, waiting_times };

/// `count` pieces of `length` elements. If the pieces are uneven, `length` is the average.
struct raced_shape {
  pieces_kind kind;
  std::size_t length, count;
  length_law law = length_law::zipf;  ///< The distribution of uneven lengths.
  std::size_t offset = 0;             ///< Elements from the start of the allocation to the first element.
  bool wide_keys = false;             ///< True if keys have 64 bits.
  [[nodiscard]] std::size_t elements() const { return length * count; }
  [[nodiscard]] bool is_uneven() const {
    return kind == pieces_kind::uneven_segments || kind == pieces_kind::uneven_runs;
  }
  [[nodiscard]] bool is_by_key() const { return kind == pieces_kind::runs || kind == pieces_kind::uneven_runs; }
};

/// Returns the properties of a shape that its kind, length and number don't show, such as ", keys of 64 bits, from
/// element 3"; empty if there are none.
[[nodiscard]] std::string specialities(const raced_shape& shape);

/// Returns the shapes that are always raced, of 2^10 to 2^28 elements each.
[[nodiscard]] std::vector<raced_shape> raced_shapes();

/// A shape, and the type of its elements: "int" or "float".
struct drawn_shape {
  raced_shape shape;
  std::string type;
};

/// Returns `count` random shapes. `seed` determines their kinds, types, lengths, numbers, laws and starts. The number
/// of elements and the length are drawn so that each power of two is equally likely. A shape has at most `most`
/// elements.
[[nodiscard]] std::vector<drawn_shape> drawn_shapes(std::size_t count, std::uint64_t seed, std::size_t most);

/// Returns the `count` + 1 offsets of a shape's pieces.
[[nodiscard]] std::vector<int> offsets_of(const raced_shape& shape);

}  // namespace workbook
