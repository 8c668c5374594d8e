#pragma once
/// \file
/// Finds indices that are computed in 32 bits though what they count may not fit.

#include <cstdint>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace emulator::ptx {

/// Returns the PTX lines of accesses to global memory whose address is made from a 32-bit product of a block's number
/// and a number of threads (or what is added to such a product), widened only behind it. 32 bits suffice for the
/// product as long as there are fewer than 2^32 threads; kernels that take a count of 64 bits promise more. A product
/// that is added to a row's number (%ctaid.y or %ctaid.z) in 64 bits counts the elements of one row, and is all right.
[[nodiscard]] std::vector<std::uint32_t> narrow_indices(const function& kernel);

}  // namespace emulator::ptx
