#pragma once
/// \file
/// The rows of chapter 12's table other than the reference and the exercise, and the kernels in them.

#include <cstddef>
#include <vector>

#include "workbook/kernel_table.hpp"

namespace workbook {
struct reduction;
}

namespace chapter12 {

/// The rows: an atomic per thread, warp and block; a grid-wide barrier; `workbook::reduce`, plain and compensated.
[[nodiscard]] std::vector<workbook::reduction> compared_rungs();

struct compared_kernels {
  workbook::kernel_table atomic_per_thread, atomic_per_warp, atomic_per_block, barrier_of_the_grid;
  workbook::whole_table compensated_sum;
};
[[nodiscard]] compared_kernels kernels_to_compare();

/// These two return the smallest and the largest number of blocks of these kernels' launches, over all types.
[[nodiscard]] std::size_t fewest_blocks(std::size_t n, unsigned block_size);
[[nodiscard]] std::size_t max_blocks(std::size_t n, unsigned block_size);

/// Returns the largest number of additions on a path in chapter 12's reference, for the error bound of every type.
[[nodiscard]] std::size_t depth_of_last_block(std::size_t n, unsigned block_size);

}  // namespace chapter12
