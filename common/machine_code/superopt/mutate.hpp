#pragma once
/// \file
/// The moves of the search: change an opcode, change an operand, insert or remove an instruction, exchange two.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine_code/superopt/random.hpp"
#include "machine_code/superopt/target.hpp"

namespace superopt {

/// The opcodes and immediates that candidates consist of.
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

/// Returns a vocabulary for a target: its own opcodes and immediates, all shuffles if it has a shuffle, and IADD3 if it
/// has an addition.
[[nodiscard]] vocabulary vocabulary_for(const target& t);

/// Adds an opcode to the vocabulary, with immediates that are useful with it.
void add_opcode(vocabulary& v, opcode op);

/// Changes `p` by one of the five moves, chosen at random. New sources are chosen among rz and the registers that the
/// inputs or an earlier instruction define. Returns false, and leaves `p` unchanged, if the move is not possible (for
/// example, because there is nothing to remove or no room) or would change nothing.
[[nodiscard]] bool mutate(program& p, const target& t, const vocabulary& v, random_source& random);

}  // namespace superopt
