#pragma once
/// \file
/// Listings of a function's instructions for people: address, control field, guard, opcode, operands, and the source
/// line.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine_code/sass/counts.hpp"

namespace sass {

/// Options for printing a listing.
struct listing_style {
  std::size_t width = 120;                             ///< Columns.
  bool color = false;                                  ///< Highlights the marks, which are readable without color, too.
  bool fold_prologue = true;                           ///< Shows the prologue as one line.
  std::optional<unsigned> loop;                        ///< If set, lists only this loop and the loops inside it.
  std::optional<std::pair<unsigned, unsigned>> lines;  ///< If set, lists only these source lines.
};

/// Returns the lines of a listing, without line ends: a heading, the instructions, and a table of counts with a row for
/// the kernel and for each loop. The marks are `wide`, `shfl`, `redux`, `bar`, `atom` and `local`. A digit next to an
/// instruction is the number of its innermost loop. \throws error  if the requested loop does not exist
[[nodiscard]] std::vector<std::string> listing(const function& of, const listing_style& style);

/// Returns one instruction as in a listing, but without its source line and mark.
[[nodiscard]] std::string instruction_text(const instruction& i);

/// Returns the mark of an instruction, or an empty string if it has none.
[[nodiscard]] std::string_view mark_of(const instruction& i);

/// Returns a table with a row for each function.
[[nodiscard]] std::vector<std::string> overview(const std::vector<const function*>& of, std::size_t width);

/// Returns a warning if the control fields may be wrong, or an empty string.
[[nodiscard]] std::string warning_for(const std::string& architecture);

}  // namespace sass
