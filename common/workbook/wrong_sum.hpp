#pragma once
/// \file
/// Where a wrong sum goes wrong, in words: which elements it loses or counts twice, at the smallest size that shows it.

#include <optional>

#include "workbook/measure.hpp"
#include "workbook/reduction.hpp"

namespace workbook {

/// Runs `rung` again on inputs that tell elements apart, with the type, block size and offset of `failed`, of which its
/// sum was wrong. Nothing where these inputs say nothing: where the device fails, or every one of them comes out right.
[[nodiscard]] std::optional<explanation> explain_wrong_sum(const reduction& rung, const problem& failed);

}  // namespace workbook
