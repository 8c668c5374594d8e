#pragma once
/// \file
/// What other libraries make of the same sum, for the ladder's record.

#include "workbook/kernel_table.hpp"

namespace workbook {

/// Returns `thrust::reduce`. It allocates its workspace in each call, returns the sum to the host, and waits: all of
/// that is in its times, and a copy of the sum back to the device.
[[nodiscard]] whole_table thrust_table();

}  // namespace workbook
