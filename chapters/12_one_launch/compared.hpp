#pragma once
/// \file
/// The rows of chapter 12's table beside reference and exercise.

#include <cstddef>
#include <vector>

#include "workbook/library.hpp"
#include "workbook/reduction.hpp"

namespace chapter12 {

/// Atomic operations by each thread, warp and block; the barrier of a grid; `workbook::reduce`, plain and compensated.
[[nodiscard]] std::vector<workbook::reduction> compared_rungs();

/// Additions on the longest way in chapter 12's reference, for the error bound, whatever the element type.
[[nodiscard]] std::size_t depth_of_last_block(std::size_t n, unsigned block_size);

}  // namespace chapter12
