#pragma once
/// \file
/// The differences between two functions: their counts side by side, and their instructions aligned.

#include <cstddef>
#include <string>
#include <vector>

#include "machine_code/sass/instruction.hpp"

namespace sass {

enum class change : char { none = ' ', gone = '-', came = '+' };

struct step {
  change what = change::none;
  const instruction* from = nullptr;  ///< Null if it was added.
  const instruction* to = nullptr;    ///< Null if it was removed.
};

/// Aligns the instructions of two functions so that as many as possible match. Two instructions match if their opcodes
/// and operands are equal except for the numbers of registers, predicates and code addresses. The result points into
/// both functions.
[[nodiscard]] std::vector<step> align(const function& before, const function& after);

/// Returns the counts of both functions, and the instructions that were removed or added, with three matching
/// instructions around them.
[[nodiscard]] std::vector<std::string> difference(const function& before, const function& after, std::size_t width);

/// Returns an instruction's text without its register numbers, which is what `align` compares.
[[nodiscard]] std::string shape_of(const instruction& i);

}  // namespace sass
