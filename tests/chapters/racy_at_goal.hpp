#pragma once
/// \file
/// A sum that is right everywhere, and has a race on one input alone: that on which the strict test measures the goal.

#include "workbook/kernel_table.hpp"

namespace workbook {

kernel_table racy_at_goal_table();

}  // namespace workbook
