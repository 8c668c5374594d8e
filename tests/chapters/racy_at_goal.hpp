#pragma once
/// \file
/// A sum that is always right, and has a race on one input only: that on which the strict test measures the goal.

#include "workbook/kernel_table.hpp"

namespace workbook {

kernel_table racy_at_goal_table();

}  // namespace workbook
