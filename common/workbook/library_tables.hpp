#pragma once
/// \file
/// The tables that the libraries' kernel files offer to host code.

#include <cstddef>

#include "workbook/kernel_table.hpp"

namespace workbook {

[[nodiscard]] whole_table cub_table();
[[nodiscard]] whole_table one_launch_table();
/// Returns the number of additions on the longest path from one of `n` elements to the result: the largest number for
/// any type.
[[nodiscard]] std::size_t one_launch_depth(std::size_t n);

}  // namespace workbook
