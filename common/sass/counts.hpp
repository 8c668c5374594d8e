#pragma once
/// \file
/// Instructions by kind, of a kernel or of one loop.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "sass/flow.hpp"

namespace sass {

struct counts {
  std::array<unsigned, kinds> of_kind{};
  unsigned instructions = 0;
  unsigned registers = 0;   ///< Per thread, of a kernel; 0 where it is not known.
  unsigned wide_loads = 0;  ///< From global memory, more than 4 bytes per thread.
  unsigned guarded = 0;     ///< Run only where a predicate says so, branches apart.
  unsigned backward_branches = 0;

  [[nodiscard]] unsigned operator[](kind which) const { return of_kind[static_cast<std::size_t>(which)]; }
};

/// Counts all instructions that can run.
[[nodiscard]] counts count(const function& of);

/// Counts those of one loop.
[[nodiscard]] counts count(const function& of, const loop& in);

/// A row of a table of counts: what it is about, and the figures.
struct counted {
  std::string name;
  counts figures;
};

/// Prints a table, a row for each, with columns for what any of them has: what lessons speak of first, and as many as
/// fit. \param first  the head of the first column \param width  columns of the page \return the lines
[[nodiscard]] std::vector<std::string> table(const std::string& first, const std::vector<counted>& rows,
                                             std::size_t width);

}  // namespace sass
