#pragma once
/// \file
/// Counts of instructions by kind, for a kernel or for one loop.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "machine_code/sass/flow.hpp"

namespace sass {

struct counts {
  std::array<unsigned, kinds> of_kind{};
  unsigned instructions = 0;
  unsigned registers = 0;   ///< Per thread, for a kernel; 0 if it is not known.
  unsigned wide_loads = 0;  ///< Loads from global memory of more than 4 bytes per thread.
  unsigned guarded = 0;     ///< Instructions with a predicate, other than branches.
  unsigned backward_branches = 0;

  [[nodiscard]] unsigned operator[](kind which) const { return of_kind[static_cast<std::size_t>(which)]; }
};

/// Counts all instructions that can run.
[[nodiscard]] counts count(const function& of);

/// Counts the instructions of one loop.
[[nodiscard]] counts count(const function& of, const loop& in);

/// A row of a table of counts: its name and its counts.
struct counted {
  std::string name;
  counts figures;
};

/// Formats a table with a row for each of `rows`. It has a column for each count that is not 0 in all rows. The counts
/// that lessons discuss are in the first columns, and columns that do not fit into the width are left out.
/// \param first  the heading of the first column
/// \param width  the width of the page, in columns of text
/// \return the lines
[[nodiscard]] std::vector<std::string> table(const std::string& first, const std::vector<counted>& rows,
                                             std::size_t width);

}  // namespace sass
