#pragma once
/// \file
/// Chapter 13's table.

#include <string>

#include "13_fused_pipelines/calls.hpp"
#include "workbook/study.hpp"

namespace chapter13 {

/// Makes a row of the table of a way to the distance.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, const way& w);

/// All rows of the chapter's table.
[[nodiscard]] workbook::study table_of_pipelines();

}  // namespace chapter13
