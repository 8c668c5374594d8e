#pragma once
/// \file
/// Explains a wrong sum: which elements it loses or counts twice, at the smallest size that shows it.

#include <optional>

#include "workbook/measure.hpp"
#include "workbook/reduction.hpp"

namespace workbook {

/// Runs `rung` again on inputs that distinguish the elements, with the type, block size and offset of `failed`, the
/// problem with the wrong sum. Returns nothing if these inputs don't explain it, because the device fails or because
/// all results are right.
[[nodiscard]] std::optional<explanation> explain_wrong_sum(const reduction& rung, const problem& failed);

}  // namespace workbook
