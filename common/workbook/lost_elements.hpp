#pragma once
/// \file
/// Descriptions of elements that a sum loses or counts twice, in terms of how its blocks load them.

#include <cstddef>
#include <string>
#include <vector>

#include "workbook/element_places.hpp"

namespace workbook {

/// The elements that a block of the kernel loads.
struct block_of_elements {
  unsigned threads = 0;
  std::size_t per_vector = 1;  ///< Elements in 16 bytes.
  std::size_t per_block = 0;   ///< Elements of a block if they are contiguous, otherwise 0.
};

/// A sentence about lost elements.
struct lost_sentence {
  std::string text{};
  bool may_go_on = false;  ///< True if it is a single simple clause, so that another one can be added with "and".
};

/// Returns a sentence about the tree steps that would have added the chosen elements, if exactly these are lost or
/// counted twice. Returns an empty string if no steps explain them.
[[nodiscard]] std::string words_for_steps(const element_set& chosen, const block_of_elements& shape, bool lost);

/// Returns a sentence about overlapping blocks: some elements are counted twice, and as many are missing at the end.
/// Returns an empty string if blocks don't overlap. \param times  how often each element is counted
[[nodiscard]] std::string words_for_overlap(const element_set& lost, const element_set& often,
                                            const std::vector<double>& times);

/// Returns a sentence about the elements that never reach the sum, according to their pattern: a missing step, the
/// tail, one element of every vector, or whole blocks. The text is empty if no element is lost.
/// \param alone  true if no element is counted twice; otherwise the cause isn't a missing step, whatever the pattern is
[[nodiscard]] lost_sentence words_for_lost(const element_set& lost, const block_of_elements& shape, bool alone);

/// Returns a sentence if the first block is right and all others lose the same positions of their elements. There must
/// be at least three blocks. Otherwise returns an empty string.
[[nodiscard]] std::string words_for_later_blocks(const element_set& lost, const block_of_elements& shape);

}  // namespace workbook
