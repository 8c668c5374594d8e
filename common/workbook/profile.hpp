#pragma once
/// \file
/// `chapterN --profile`: the line profile of one kernel of the chapter's table.

#include <string>
#include <vector>

#include "workbook/table.hpp"

namespace workbook {

/// Returns those of a table's kernels that `wanted` means: a kernel's name, a role ("previous", "reference", "yours",
/// "library", "wrong"), or where it is empty the student's kernel, attempted or not. Several only where several kernels
/// have that name or role.
/// \throws std::invalid_argument  where it means none; the message lists what there is
[[nodiscard]] std::vector<specimen> chosen_of(const std::vector<specimen>& kernels, const std::string& wanted);

/// Says which chapter takes a cost of that kind away, seen from chapter `here`: "Chapter 3 removes this.". Empty where
/// none does.
[[nodiscard]] std::string advice_for(const std::string& kind, int here);

/// The chapter whose kernel a row of `chapter`'s table is: the one before for the previous kernel.
[[nodiscard]] int taught_in(const outcome& o, int chapter);

/// The profiles of all rows of `r`, with advice, and what went wrong with them.
[[nodiscard]] std::string profile_text(const chapter& c, const run_result& r, int file_descriptor);

}  // namespace workbook
