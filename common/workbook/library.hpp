#pragma once
/// \file
/// The library that every kernel is compared with, and the reduction that the book ends with.

#include "workbook/reduction.hpp"

namespace workbook {

/// Returns `cub::DeviceReduce::Sum` as a rung. It allocates its workspace on first use and keeps it until `reset`.
[[nodiscard]] reduction library_reduction();

/// Returns `workbook::reduce` (device/reduce.cuh) as a rung: one launch, whose shape it chooses itself. The workspace
/// is kept as above.
[[nodiscard]] reduction one_launch_reduction();

}  // namespace workbook
