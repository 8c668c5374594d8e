#pragma once
/// \file
/// Words for the elements that a sum loses or counts twice, by how its blocks take them.

#include <cstddef>
#include <string>
#include <vector>

#include "workbook/element_places.hpp"

namespace workbook {

/// What a block of the kernel takes.
struct block_of_elements {
  unsigned threads = 0;
  std::size_t per_vector = 1;  ///< Elements in 16 bytes.
  std::size_t per_block = 0;   ///< Elements before those of the next block; 0 where blocks do not take them in a row.
};

/// What is said of lost elements.
struct lost_sentence {
  std::string text{};
  bool may_go_on = false;  ///< It is one plain clause, so that a second one can be joined to it by "and".
};

/// The steps of a tree that would have added the chosen elements, where exactly these are lost, or counted twice; empty
/// where no steps explain them.
[[nodiscard]] std::string words_for_steps(const element_set& chosen, const block_of_elements& shape, bool lost);

/// Where blocks begin before those in front of them end: a stretch is counted twice, and as much is missing at the end.
/// Empty where it is not so. \param times  by element: how often it is counted
[[nodiscard]] std::string words_for_overlap(const element_set& lost, const element_set& often,
                                            const std::vector<double>& times);

/// Says which elements never reach the sum, by what they have in common: a missing step, the tail, one element of every
/// vector, whole blocks. Empty where none is lost.
/// \param alone  no element is counted twice: else it is no missing step, whatever the places have in common
[[nodiscard]] lost_sentence words_for_lost(const element_set& lost, const block_of_elements& shape, bool alone);

/// Where the first block is right, and all others lose the same of theirs; three blocks at least.
[[nodiscard]] std::string words_for_later_blocks(const element_set& lost, const block_of_elements& shape);

}  // namespace workbook
