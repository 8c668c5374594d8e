#pragma once
/// \file
/// The moves of the search: another opcode, another operand, one instruction more, one less, two exchanged.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "superopt/random.hpp"
#include "superopt/target.hpp"

namespace superopt {

/// What candidates are made of.
struct vocabulary {
  std::vector<opcode> opcodes;
  /// The values that immediates of each kind take; nothing for immediate_kind::none.
  std::array<std::vector<std::uint32_t>, immediate_kind_count> immediates;
  unsigned length = 16;  ///< Instructions that a candidate has at most.

  [[nodiscard]] std::vector<std::uint32_t>& immediates_of(opcode op) {
    return immediates[static_cast<std::size_t>(facts_of(op).immediate)];
  }
  [[nodiscard]] const std::vector<std::uint32_t>& immediates_of(opcode op) const {
    return immediates[static_cast<std::size_t>(facts_of(op).immediate)];
  }
};

/// Returns what suits a target: its own opcodes and immediates, all shuffles, and IADD3 where it adds.
[[nodiscard]] vocabulary vocabulary_for(const target& t);

/// Adds an opcode to the vocabulary, with the immediates that make sense for it.
void add_opcode(vocabulary& v, opcode op);

/// Changes `p` by one of the five moves, by chance. Sources are registers that the inputs or an earlier instruction
/// define, or rz. Returns false where the move could not be made (nothing to remove, no room), and `p` is as before.
[[nodiscard]] bool mutate(program& p, const target& t, const vocabulary& v, random_source& random);

}  // namespace superopt
