#pragma once
/// \file
/// Chapter 13's table.

#include <string>

#include "13_fused_pipelines/calls.hpp"
#include "workbook/study.hpp"

namespace chapter13 {

/// Makes a row of the table for a method of the softmax.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, const way& w);

/// Returns the chapter's table, with all rows.
[[nodiscard]] workbook::study table_of_pipelines();

/// Returns the bytes per element in all 32-byte sectors that loads and stores of global memory touch.
[[nodiscard]] double bytes_per_element(const workbook::outcome& o);

}  // namespace chapter13
