#pragma once
/// \file
/// What changed between two functions: counts side by side, and the instructions aligned.

#include <cstddef>
#include <string>
#include <vector>

#include "sass/instruction.hpp"

namespace sass {

enum class change : char { none = ' ', gone = '-', came = '+' };

struct step {
  change what = change::none;
  const instruction* from = nullptr;  ///< Null where it came.
  const instruction* to = nullptr;    ///< Null where it is gone.
};

/// Aligns the instructions of two functions, so that as many as possible are the same. Two are the same where opcode
/// and operands are but for the numbers of registers, predicates and addresses of code. What it returns points into
/// both.
[[nodiscard]] std::vector<step> align(const function& before, const function& after);

/// Returns counts of both and the instructions that are gone or came, with three that stayed around them.
[[nodiscard]] std::vector<std::string> difference(const function& before, const function& after, std::size_t width);

/// An instruction without the numbers of its registers: what `align` compares.
[[nodiscard]] std::string shape_of(const instruction& i);

}  // namespace sass
