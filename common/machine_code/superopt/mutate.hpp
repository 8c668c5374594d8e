#pragma once
/// \file
/// The moves of the search: change an opcode, change an operand, insert an instruction, remove one, or exchange two.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine_code/superopt/random.hpp"
#include "machine_code/superopt/target.hpp"

namespace superopt {

/// The parts that candidates are made of.
struct vocabulary {
  std::vector<opcode> opcodes;
  /// The possible values of each kind of immediate; empty for immediate_kind::none.
  std::array<std::vector<std::uint32_t>, immediate_kind_count> immediates;
  unsigned length = 16;  ///< Largest number of instructions of a candidate.

  [[nodiscard]] std::vector<std::uint32_t>& immediates_of(opcode op) {
    return immediates[static_cast<std::size_t>(facts_of(op).immediate)];
  }
  [[nodiscard]] const std::vector<std::uint32_t>& immediates_of(opcode op) const {
    return immediates[static_cast<std::size_t>(facts_of(op).immediate)];
  }
};

/// Returns a vocabulary for a target: its own opcodes and immediates, all shuffles if it has one, and IADD3 if it adds.
[[nodiscard]] vocabulary vocabulary_for(const target& t);

/// Adds an opcode to the vocabulary, with the immediates that make sense for it.
void add_opcode(vocabulary& v, opcode op);

/// Changes `p` by a random one of the five moves. New sources are chosen among rz and the registers that the inputs or
/// an earlier instruction define. Returns false if the move is not possible (nothing to remove, no room) or changes
/// nothing; then `p` is unchanged.
[[nodiscard]] bool mutate(program& p, const target& t, const vocabulary& v, random_source& random);

}  // namespace superopt
