#pragma once
/// \file
/// The cost of source lines: for one kernel (`chapterN --profile`), and for a student's file on the goal's input.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "workbook/table.hpp"

namespace workbook {

/// Returns the kernels of a table that `wanted` selects. It is a kernel's name, a role ("previous", "reference",
/// "yours", "library", "wrong"), or empty for the student's kernel, attempted or not. Returns several kernels only if
/// they share the name or the role.
/// \throws std::invalid_argument  if no kernel matches; the message lists the choices
[[nodiscard]] std::vector<specimen> chosen_of(const std::vector<specimen>& kernels, const std::string& wanted);

/// Returns a sentence about the chapter that removes this kind of cost, as seen from chapter `here`, such as "Chapter 3
/// removes this.". Empty if no chapter does.
[[nodiscard]] std::string advice_for(const std::string& kind, int here);

/// Returns the chapter to which a row of `chapter`'s table belongs. For the previous kernel, that is the previous one.
[[nodiscard]] int taught_in(const outcome& o, int chapter);

/// Returns the profiles of all rows of `r` with advice, and the mistakes of these kernels.
[[nodiscard]] std::string profile_text(const chapter& c, const run_result& r, int file_descriptor);

/// The cost of a line of the student's file, over all launches.
struct cost_of_line {
  std::uint64_t instructions = 0, conflicts = 0, sectors = 0;
};

/// The costs of the lines of the student's file, and the warp instructions of all lines of all files.
struct costs {
  std::map<std::uint32_t, cost_of_line> own;
  std::uint64_t instructions = 0;
};

/// \param yours  the student's run, with counts
[[nodiscard]] costs costs_of(const chapter& c, const outcome& yours);

/// Returns a sentence about the line with the most instructions in the student's file. Empty if nothing was counted.
[[nodiscard]] std::string costliest_line(const chapter& c, const costs& all);

/// Returns the costs of all lines as JSON, in the order of the file.
[[nodiscard]] nlohmann::json profile_json(const costs& all);

}  // namespace workbook
