#pragma once
/// \file
/// The library that every kernel is compared with.

#include <memory>

#include "workbook/reduction.hpp"

namespace workbook {

/// Returns `cub::DeviceReduce::Sum` as a rung. It allocates its workspace on first use and keeps it until `reset`.
[[nodiscard]] reduction library_reduction();

}  // namespace workbook
