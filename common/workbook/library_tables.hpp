#pragma once
/// \file
/// The libraries' kernel files, seen from the host.

#include <cstddef>

#include "workbook/kernel_table.hpp"

namespace workbook {

[[nodiscard]] whole_table cub_table();
[[nodiscard]] whole_table one_launch_table();
/// Returns the additions on the longest way from one of `n` elements to the result, whatever their type.
[[nodiscard]] std::size_t one_launch_depth(std::size_t n);

}  // namespace workbook
