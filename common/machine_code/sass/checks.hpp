#pragma once
/// \file
/// Rules that hold for the code of every function. If one is violated, the control field was misread or belongs to an
/// architecture with a different layout.

#include <string>
#include <vector>

#include "machine_code/sass/instruction.hpp"

namespace sass {

/// Checks a function:
/// - The guard in the encoding is the one that the disassembler prints.
/// - A barrier that an instruction waits for is set before it on some path.
/// - A load, shuffle or other instruction with variable latency sets a barrier if it has a result, or a later one of
///   the same kind does. Instructions of one kind are served in order, so the last one's barrier covers all.
/// - Between such an instruction and the first use of its result in the same straight-line code is a wait.
/// \return the violations, a sentence each
[[nodiscard]] std::vector<std::string> check(const function& of);

/// Returns the numbers of the registers in an operand, with `words` consecutive registers for each one that is named.
[[nodiscard]] std::vector<unsigned> registers_of(const std::string& operand, unsigned words);

/// Returns the operands as separate texts.
[[nodiscard]] std::vector<std::string> operands_of(const instruction& of);

}  // namespace sass
