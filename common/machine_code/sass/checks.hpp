#pragma once
/// \file
/// Rules that hold for the code of every function. If a rule is violated, the control field was misread, or the code is
/// for an architecture with a different layout.

#include <string>
#include <vector>

#include "machine_code/sass/instruction.hpp"

namespace sass {

/// Checks a function:
/// - The guard in the encoding is the one that the disassembler prints.
/// - A barrier that an instruction waits for is set before that instruction on some path.
/// - An instruction with variable latency, such as a load or a shuffle, sets a barrier if it has a result, or a later
///   instruction of the same kind sets one. One barrier then covers all of them, because instructions of one kind are
///   served in order.
/// - Between such an instruction and the first use of its result in the same straight-line code, there is a wait.
/// \return the violations, one sentence each
[[nodiscard]] std::vector<std::string> check(const function& of);

/// Returns the numbers of the registers in an operand, with `words` consecutive registers for each one that is named.
[[nodiscard]] std::vector<unsigned> registers_of(const std::string& operand, unsigned words);

/// Returns the operands as separate texts.
[[nodiscard]] std::vector<std::string> operands_of(const instruction& of);

}  // namespace sass
