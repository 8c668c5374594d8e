#pragma once
/// \file
/// What the lines of a student's file cost on the goal's input.

#include <cstdint>
#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "workbook/chapter.hpp"
#include "workbook/measure.hpp"

namespace workbook {

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
