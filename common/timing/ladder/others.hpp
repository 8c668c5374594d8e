#pragma once
/// \file
/// The same sum, computed by other libraries, for the ladder's record.

#include "workbook/kernel_table.hpp"

namespace workbook {

/// Returns `thrust::reduce`. It allocates its workspace in each call, returns the sum to the host, and waits. Its times
/// include all of that, and also a copy of the sum back to the device.
[[nodiscard]] whole_table thrust_table();

}  // namespace workbook
