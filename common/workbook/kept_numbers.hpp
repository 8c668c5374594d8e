#pragma once
/// \file
/// What the kernels beside the student's count, kept by a grader from one submission to the next.

#include <functional>

#include "workbook/chapter.hpp"
#include "workbook/goal.hpp"
#include "workbook/measure.hpp"

namespace workbook {

/// The environment variable that names the folder of a grader's run: in a run, the inputs of a chapter are the same for
/// all submissions. Where it is not set, nothing is kept.
inline constexpr const char* judge_numbers_variable = "WORKBOOK_JUDGE_NUMBERS";

/// Returns a goal's numbers of one kernel on `p`: those kept, or of what `run` returns. That is kept where it passed.
/// \param as  the kernel's role in the chapter's table, in which it is the only one
[[nodiscard]] goal_numbers kept_numbers(const chapter& c, role as, const problem& p,
                                        const std::function<outcome()>& run);

}  // namespace workbook
