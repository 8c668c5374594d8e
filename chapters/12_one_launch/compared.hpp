#pragma once
/// \file
/// The rows of chapter 12's table beside reference and exercise.

#include <vector>

#include "12_one_launch/compared_tables.hpp"
#include "workbook/reduction.hpp"

namespace chapter12 {

/// Atomic operations by each thread, warp and block; the barrier of a grid; `workbook::reduce`, plain and compensated.
[[nodiscard]] std::vector<workbook::reduction> compared_rungs();

}  // namespace chapter12
