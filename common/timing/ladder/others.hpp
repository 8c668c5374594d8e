#pragma once
/// \file
/// The same sum by other libraries, for the ladder's record.

#include "workbook/kernel_table.hpp"

namespace workbook {

/// Returns `thrust::reduce`. It allocates its workspace in each call, returns the sum to the host, and waits. All of
/// that is in its times, and so is a copy of the sum back to the device.
[[nodiscard]] whole_table thrust_table();

}  // namespace workbook
