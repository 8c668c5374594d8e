#pragma once
/// \file
/// Input made where it is needed.

#include <cstddef>
#include <cstdint>

#include "workbook/element.hpp"

namespace workbook {

/// Counts the elements among the `n` at `in` (device) that are not the input of `type` and `seed`. Synchronises.
/// \throws device_error  where the device fails
[[nodiscard]] std::size_t count_changed_on_device(element_type type, const void* in, std::size_t n, std::uint64_t seed);

/// Writes the first `n` inputs of `type` to `out` (device, n elements) with a kernel. Does not synchronise.
void fill_on_device(element_type type, void* out, std::size_t n, std::uint64_t seed);

}  // namespace workbook
