#pragma once
/// \file
/// Every program of a small size: what it does not find does not exist.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "superopt/chain.hpp"
#include "superopt/prove.hpp"

namespace superopt {

struct exhaustive_settings {
  unsigned instructions = 4;               ///< Programs of up to so many.
  unsigned below_cycles = 0;               ///< Only programs that take fewer cycles.
  std::uint64_t most_nodes = 500'000'000;  ///< Gives up beyond so many instructions appended.
  proof_limits proof{};
};

struct exhaustive_result {
  bool complete = false;          ///< Everything was tried: what follows is a proof, for this vocabulary.
  std::optional<candidate> best;  ///< The cheapest equivalent program below the limit, if any.
  proof equivalence;              ///< Of `best`.
  std::uint64_t nodes = 0, tested = 0;
  unsigned counterexamples = 0;
  std::string why_incomplete;
  double seconds = 0;
};

/// Tries every program over the vocabulary that the settings allow, in order of their text, each without dead code and
/// with commuting operands in one order only. Where all opcodes are linear modulo 2^32 (shuffles, IADD, IADD3, SEL,
/// MOV, REDUX.SUM), tests with one lane set decide equality of results, and a result that is already there, no later,
/// is not computed again. \throws bad_input
[[nodiscard]] exhaustive_result search_exhaustively(const target& t, const vocabulary& v, const cost_table& table,
                                                    const exhaustive_settings& settings);

/// True where every opcode of the vocabulary computes a linear function of the inputs.
[[nodiscard]] bool is_linear(const vocabulary& v);

}  // namespace superopt
