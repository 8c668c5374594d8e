#pragma once
/// \file
/// Words for a set of elements of an array: what its places have in common.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace workbook {

/// Which of n elements are meant, by place.
using element_set = std::vector<bool>;

/// "element 3", "elements 1, 3 and 5", "elements 64 to 127 of every 128", "every second element, from element 1 on",
/// "elements 0, 7, 9 and 12 more"; "no element" and "all elements" where that is so. `noun` names one of them.
[[nodiscard]] std::string words_for(const element_set& chosen, const std::string& noun = "element");

/// Says whether the set repeats itself every `period` elements, as far as the array reaches.
[[nodiscard]] bool repeats(const element_set& chosen, std::size_t period);

/// Says whether the verb behind these words of `words_for` is "are", not "is".
[[nodiscard]] bool is_plural(const std::string& words, const std::string& noun = "element");

/// The strides whose step of a tree is missing where exactly these elements are lost: those whose place in their group
/// of `block_size` times `per_vector` elements has one of the strides' bits set, counted in vectors. Nothing where no
/// strides explain the set.
[[nodiscard]] std::optional<std::vector<unsigned>> strides_of(const element_set& lost, unsigned block_size,
                                                              unsigned per_vector);

}  // namespace workbook
