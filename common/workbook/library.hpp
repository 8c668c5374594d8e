#pragma once
/// \file
/// The library that every kernel is compared with, and the last reduction of the book.

#include "workbook/reduction.hpp"

namespace workbook {

/// Returns `cub::DeviceReduce::Sum` as a rung. It allocates a workspace at its first use and reuses it until `reset`.
[[nodiscard]] reduction library_reduction();

/// Returns `workbook::reduce` (reductions/reduce.cuh) as a rung. It makes one launch, whose shape it chooses itself. It
/// reuses its workspace in the same way.
[[nodiscard]] reduction one_launch_reduction();

}  // namespace workbook
