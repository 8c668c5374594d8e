#pragma once
/// \file
/// What must hold for the code of every function, whatever it computes. Where it does not, the control field was
/// misread or belongs to an architecture with another layout.

#include <string>
#include <vector>

#include "sass/instruction.hpp"

namespace sass {

/// Checks a function:
/// - the guard in the encoding is the one that the disassembler prints;
/// - a barrier that an instruction waits for is raised before it on some path;
/// - a load, shuffle or other instruction whose latency is not fixed raises a barrier when it has a result, or
///   one of the same kind behind it does: those of a kind are served in their order, and the last one's barrier tells
///   for all;
/// - between such an instruction and the first use of its result in the same straight piece of code stands a wait.
/// \return what does not hold, a sentence each
[[nodiscard]] std::vector<std::string> check(const function& of);

/// Registers, by number, that the operand at `position` (0: the first) names; `words` registers from each on.
[[nodiscard]] std::vector<unsigned> registers_of(const std::string& operand, unsigned words);

/// The operands, apart from each other.
[[nodiscard]] std::vector<std::string> operands_of(const instruction& of);

}  // namespace sass
