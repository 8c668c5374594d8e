#pragma once
/// \file
/// Chapter 9's kernel with every operator and element type, for a test that the host compiler builds.

#include <cstddef>
#include <vector>

#include "reductions/operators.cuh"

namespace workbook {

/// Copies `elements` to the selected device, beginning `offset` elements after the start of an allocation, and returns
/// their reduction by chapter 9's passes. Defined for plus, times, minimum and maximum of the five types of the
/// workbook, for maximum of unsigned char, and for arg_max of `indexed` of the five types. Synchronises.
/// \throws device_error
template <typename T, typename Op>
[[nodiscard]] T reduced_on_device(const std::vector<T>& elements, unsigned block_size, std::size_t offset, Op op);

}  // namespace workbook
