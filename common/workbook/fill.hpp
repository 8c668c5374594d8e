#pragma once
/// \file
/// Input made where it is needed.

#include <cstddef>
#include <cstdint>

#include "workbook/element.hpp"

namespace workbook {

/// Writes the first `n` inputs of `type` to `out` (device, n elements) with a kernel. Does not synchronise.
void fill_on_device(element_type type, void* out, std::size_t n, std::uint64_t seed);

}  // namespace workbook
