#pragma once
/// \file
/// The goal's numbers of the reference and the previous kernel, which a grader caches between submissions.

#include <functional>

#include "workbook/chapter.hpp"
#include "workbook/goal.hpp"
#include "workbook/measure.hpp"

namespace workbook {

/// The environment variable with the folder of a grader's run. All submissions of a run share a chapter's inputs, so
/// the numbers can be reused. If the variable isn't set, nothing is cached.
inline constexpr const char* judge_numbers_variable = "WORKBOOK_JUDGE_NUMBERS";

/// Returns a goal's numbers for one kernel on `p`: from the cache, or from the outcome of `run`. They are cached if
/// that outcome has passed.
/// \param as  the kernel's role in the chapter's table; no other kernel may have the same role
[[nodiscard]] goal_numbers kept_numbers(const chapter& c, role as, const problem& p,
                                        const std::function<outcome()>& run);

}  // namespace workbook
