#pragma once
/// \file
/// Exhaustive search over all programs of a small size, which can prove that there is no cheaper one.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "machine_code/superopt/chain.hpp"
#include "machine_code/superopt/prove.hpp"

namespace superopt {

struct exhaustive_settings {
  unsigned instructions = 4;              ///< Largest program size.
  unsigned below_cycles = 0;              ///< Only programs with fewer cycles than this are searched.
  std::uint64_t max_nodes = 500'000'000;  ///< The search gives up after appending this many instructions.
  proof_limits proof{};
};

struct exhaustive_result {
  bool complete = false;          ///< All programs were tried, so the result is a proof for this vocabulary.
  std::optional<candidate> best;  ///< The cheapest equivalent program below the limit, if any.
  proof equivalence;              ///< Proof that `best` is equivalent.
  std::uint64_t nodes = 0, tested = 0;
  unsigned counterexamples = 0;
  std::string why_incomplete;
  double seconds = 0;
};

/// Tries every program over the vocabulary that the settings allow, in a fixed order. Programs with dead code are left
/// out, and commuting operands are tried in only one order. If all opcodes are linear modulo 2^32 (shuffles, IADD,
/// IADD3, SEL, MOV, REDUX.SUM), two results are equal exactly if they are equal in the tests that set one lane. So an
/// instruction is skipped if its result already exists and is ready no later. \throws bad_input
/// if it already exists and is ready no later. \throws bad_input
[[nodiscard]] exhaustive_result search_exhaustively(const target& t, const vocabulary& v, const cost_table& table,
                                                    const exhaustive_settings& settings);

/// Returns true if every opcode of the vocabulary computes a linear function of the inputs.
[[nodiscard]] bool is_linear(const vocabulary& v);

}  // namespace superopt
