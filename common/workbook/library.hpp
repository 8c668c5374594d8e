#pragma once
/// \file
/// The library that every kernel is compared with, and the reduction that the book ends with.

#include "workbook/reduction.hpp"

namespace workbook {

/// Returns `cub::DeviceReduce::Sum` as a rung. It allocates its workspace on first use and reuses it until `reset`.
[[nodiscard]] reduction library_reduction();

/// Returns `workbook::reduce` (reductions/reduce.cuh) as a rung. It makes one launch and chooses its shape itself. The
/// workspace is reused as above.
[[nodiscard]] reduction one_launch_reduction();

}  // namespace workbook
