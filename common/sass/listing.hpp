#pragma once
/// \file
/// A function's instructions for people: address, control field, guard, opcode, operands, and the source line beside.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sass/counts.hpp"

namespace sass {

/// How a listing is printed.
struct listing_style {
  std::size_t width = 120;                             ///< Columns.
  bool color = false;                                  ///< Marks by escape sequences too; all can be read without them.
  bool fold_prologue = true;                           ///< One line for what only prepares.
  std::optional<unsigned> loop;                        ///< Only the loop of this number, with the loops in it.
  std::optional<std::pair<unsigned, unsigned>> lines;  ///< Only what comes from these source lines.
};

/// Returns the listing, line by line without line ends: a heading, the instructions, and a table of counts with a row
/// for the kernel and for each loop. The marks: `wide`, `shfl`, `redux`, `bar`, `atom`, `local`; a digit is the
/// innermost loop's number. \throws error  where the wanted loop does not exist
[[nodiscard]] std::vector<std::string> listing(const function& of, const listing_style& style);

/// Returns one instruction as it stands in a listing, without source line and mark.
[[nodiscard]] std::string instruction_text(const instruction& i);

/// Returns the mark of an instruction, or nothing.
[[nodiscard]] std::string_view mark_of(const instruction& i);

/// Returns a table with a row for each function.
[[nodiscard]] std::vector<std::string> overview(const std::vector<const function*>& of, std::size_t width);

/// What stands above a listing where the control fields are not to be trusted; empty where they are.
[[nodiscard]] std::string warning_for(const std::string& architecture);

}  // namespace sass
