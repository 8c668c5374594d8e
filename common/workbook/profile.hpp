#pragma once
/// \file
/// What lines cost: those of one kernel (`chapterN --profile`), and those of a student's file on the goal's input.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

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

/// What a line of the student's file costs, over all launches.
struct cost_of_line {
  std::uint64_t instructions = 0, conflicts = 0, sectors = 0;
};

/// What the lines of the student's file cost, and the warp instructions of all lines of all files.
struct costs {
  std::map<std::uint32_t, cost_of_line> own;
  std::uint64_t instructions = 0;
};

/// \param yours  the student's run, counted
[[nodiscard]] costs costs_of(const chapter& c, const outcome& yours);

/// Says which line of the student's file takes the most instructions; nothing where none was counted.
[[nodiscard]] std::string costliest_line(const chapter& c, const costs& all);

/// The same for programs: what each line costs, in the order of the file.
[[nodiscard]] nlohmann::json profile_json(const costs& all);

}  // namespace workbook
