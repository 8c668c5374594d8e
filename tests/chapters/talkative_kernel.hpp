#pragma once
/// \file
/// A right sum whose author looks for a mistake with printf, in the kernel and beside it.

#include "workbook/kernel_table.hpp"

namespace workbook {

kernel_table talkative_table();

}  // namespace workbook
