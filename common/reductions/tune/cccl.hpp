#pragma once
/// \file
/// The release of CUB, Thrust and libcu++ that the races compare with.

#include <string>

namespace workbook {

/// Returns the version of the headers that this program was compiled with, such as "3.5.0".
[[nodiscard]] std::string raced_cccl();

}  // namespace workbook
