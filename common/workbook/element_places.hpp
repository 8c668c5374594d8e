#pragma once
/// \file
/// Descriptions of a set of array elements by a pattern in their positions.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace workbook {

/// Marks the chosen elements among n elements, by their positions.
using element_set = std::vector<bool>;

/// The pattern in the positions of a set, which determines how `words_for` describes it.
enum class places_form : std::uint8_t {
  none,
  all,
  one,             ///< "element 3"
  two,             ///< "elements 1 and 3"
  range,           ///< "elements 128 to 255"
  part_of_period,  ///< "elements 64 to 127 of every 128"
  every_nth,       ///< "every 4th element", "every second element, from element 1 on"
  runs,            ///< "elements 0 to 3 and 61 to 64"
  listed,          ///< "elements 1, 3 and 5"
  first_few        ///< "elements 0, 7, 9 and 12 more"
};
[[nodiscard]] places_form form_of(const element_set& chosen);

/// Returns a description of the set according to its form. `noun` names one element.
[[nodiscard]] std::string words_for(const element_set& chosen, const std::string& noun = "element");

/// Returns the same with the total number of elements: "points 0 to 27 of 31", "every 4th point of 31, from point 3
/// on".
[[nodiscard]] std::string words_within(const element_set& chosen, const std::string& noun);

/// Returns true if the set repeats after every `period` elements, up to the end of the array.
[[nodiscard]] bool repeats(const element_set& chosen, std::size_t period);

/// Returns true if the verb after `words_for(chosen)` is "are", not "is".
[[nodiscard]] bool is_plural(const element_set& chosen);

/// Returns true if `words_for(chosen)` ends in a clause (", from element 1 on"), after which a verb needs a comma.
[[nodiscard]] bool ends_in_clause(const element_set& chosen);

/// Returns true if there is a comma in `words_for(chosen)`.
[[nodiscard]] bool has_comma(const element_set& chosen);

/// Returns the strides of the tree steps whose omission loses exactly these elements. In each group of `block_size`
/// times `per_vector` elements, positions are counted in vectors. An element is lost if its position contains the bit
/// of one of the strides. Returns nothing if no strides explain the set.
[[nodiscard]] std::optional<std::vector<unsigned>> strides_of(const element_set& lost, unsigned block_size,
                                                              unsigned per_vector);

}  // namespace workbook
