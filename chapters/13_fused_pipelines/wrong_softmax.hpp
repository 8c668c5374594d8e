#pragma once
/// \file
/// Explains why the softmax of chapter 13 is wrong: large and low scores, other rows, or ignored columns.

#include <functional>
#include <memory>
#include <optional>

#include "13_fused_pipelines/softmax_trial.hpp"
#include "workbook/measure.hpp"

namespace chapter13 {

using softmax_maker = std::function<std::unique_ptr<softmax_trial>(const workbook::problem&)>;

/// Finds out why a method's result for `failed` was wrong. Returns nothing if no input shows it.
[[nodiscard]] std::optional<workbook::explanation> explain_softmax(const workbook::problem& failed,
                                                                   const softmax_maker& make);

}  // namespace chapter13
