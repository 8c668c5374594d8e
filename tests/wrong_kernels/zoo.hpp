#pragma once
/// \file
/// The wrong kernels, by the names of their files.

#include <vector>

#include "workbook/reduction.hpp"

namespace wrong {

[[nodiscard]] std::vector<workbook::reduction> zoo();

}  // namespace wrong
