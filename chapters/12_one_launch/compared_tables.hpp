#pragma once
/// \file
/// The rows of chapter 12's table in addition to reference and exercise, and their kernels, as the host sees them.

#include <cstddef>
#include <vector>

#include "workbook/kernel_table.hpp"

namespace workbook {
struct reduction;
}

namespace chapter12 {

/// Atomic operations by each thread, warp and block; the barrier of a grid; `workbook::reduce`, plain and compensated.
[[nodiscard]] std::vector<workbook::reduction> compared_rungs();

struct compared_kernels {
  workbook::kernel_table atomic_per_thread, atomic_per_warp, atomic_per_block, barrier_of_the_grid;
  workbook::whole_table compensated_sum;
};
[[nodiscard]] compared_kernels kernels_to_compare();

/// These return the smallest and the largest number of blocks of these kernels' launches, over the element types.
[[nodiscard]] std::size_t fewest_blocks(std::size_t n, unsigned block_size);
[[nodiscard]] std::size_t max_blocks(std::size_t n, unsigned block_size);

/// Returns the additions on the longest path in chapter 12's reference, for the error bound of any element type.
[[nodiscard]] std::size_t depth_of_last_block(std::size_t n, unsigned block_size);

}  // namespace chapter12
