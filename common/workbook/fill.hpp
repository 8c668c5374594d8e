#pragma once
/// \file
/// Generates the input on the device that needs it.

#include <cstddef>
#include <cstdint>

#include "workbook/element.hpp"

namespace workbook {

/// Returns the number of elements at `in` (device, n elements) that differ from the input of `type` and `seed`.
/// Synchronises.
/// \throws device_error  if the device fails
[[nodiscard]] std::size_t count_changed_on_device(element_type type, const void* in, std::size_t n, std::uint64_t seed);

/// Writes the first `n` input elements of `type` to `out` (device, n elements) with a kernel. Does not synchronise.
void fill_on_device(element_type type, void* out, std::size_t n, std::uint64_t seed);

}  // namespace workbook
