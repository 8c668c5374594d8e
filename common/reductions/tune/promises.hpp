#pragma once
/// \file
/// CUB's sums with each of its promises about the bits of a result.

#include <cstddef>

namespace workbook {

/// What a sum of floating-point numbers promises about its bits: nothing, the same bits for the same call on the same
/// kind of device, or the same bits on every device.
enum class promise { any_order, same_order, same_bits };

/// Returns true if the raced release of CUB has sums with a chosen promise (3.3 and newer).
[[nodiscard]] bool raced_cub_has_promises();

/// Sums `n` elements of device memory with cub::DeviceReduce::Sum. Does not synchronise.
/// \param in       float or double; not empty
/// \param out      one element
/// \param storage  `bytes` of device memory for CUB's own use, so that no call allocates. Throws std::runtime_error if
///                 CUB needs more, or if raced_cub_has_promises() is false.
void cub_sum(promise what, const float* in, float* out, std::size_t n, void* storage, std::size_t bytes);
void cub_sum(promise what, const double* in, double* out, std::size_t n, void* storage, std::size_t bytes);

}  // namespace workbook
