#pragma once
/// \file
/// Values that do not come through a sum as they are: a variable on their way is too narrow for them.

#include <optional>

#include "workbook/arrivals.hpp"
#include "workbook/measure.hpp"

namespace workbook {

/// Sends single values through that need the whole of `given`'s type, for a kernel that adds up small whole numbers
/// rightly. Nothing where all of them arrive.
[[nodiscard]] std::optional<explanation> explain_cut_values(pass_trial& trial, const problem& given);

}  // namespace workbook
