#pragma once
/// \file
/// Words for a set of elements of an array: what its places have in common.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace workbook {

/// Which of n elements are meant, by place.
using element_set = std::vector<bool>;

/// What the places of a set have in common, and so how `words_for` names them.
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

/// Returns what the set is called, by its form. `noun` names one element.
[[nodiscard]] std::string words_for(const element_set& chosen, const std::string& noun = "element");

/// As `words_for`, and of how many they are: "points 0 to 27 of 31", "every 4th point of 31, from point 3 on".
[[nodiscard]] std::string words_within(const element_set& chosen, const std::string& noun);

/// Says whether the set repeats itself every `period` elements, as far as the array reaches.
[[nodiscard]] bool repeats(const element_set& chosen, std::size_t period);

/// Returns true if the verb after `words_for(chosen)` is "are", not "is".
[[nodiscard]] bool is_plural(const element_set& chosen);

/// Returns true if `words_for(chosen)` ends in a clause (", from element 1 on"), after which a verb needs a comma.
[[nodiscard]] bool ends_in_clause(const element_set& chosen);

/// Returns true if there is a comma in `words_for(chosen)`.
[[nodiscard]] bool has_comma(const element_set& chosen);

/// The strides whose step of a tree is missing where exactly these elements are lost: those whose place in their group
/// of `block_size` times `per_vector` elements has one of the strides' bits set, counted in vectors. Nothing where no
/// strides explain the set.
[[nodiscard]] std::optional<std::vector<unsigned>> strides_of(const element_set& lost, unsigned block_size,
                                                              unsigned per_vector);

}  // namespace workbook
