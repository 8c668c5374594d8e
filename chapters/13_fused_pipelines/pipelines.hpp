#pragma once
/// \file
/// Chapter 13's table.

#include "13_fused_pipelines/calls.hpp"
#include "workbook/study.hpp"

namespace chapter13 {

/// All rows of the chapter's table.
[[nodiscard]] workbook::study table_of_pipelines();

}  // namespace chapter13
