#pragma once
/// \file
/// The search: several chains, which run on the host's cores, and a solver that verifies their results.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "machine_code/superopt/chain.hpp"
#include "machine_code/superopt/prove.hpp"

namespace superopt {

struct search_settings {
  std::uint64_t seed = 1;
  std::uint64_t budget = 16'000'000;  ///< Number of proposals by all chains together. At least 1.
  double seconds = 0;                 ///< Time limit; 0 for none. Results then depend on the machine's speed.
  unsigned chains = 4;                ///< Affects the result, unlike the number of threads.
  unsigned threads = 1;
  unsigned stop_at = 0;  ///< Ends when a program with at most this many cycles is proved; 0 for never.
  chain_settings chain{};
  proof_limits proof{};
};

struct search_result {
  candidate start, best;
  proof equivalence;                  ///< Proof that `best` is equivalent.
  std::optional<candidate> unproved;  ///< Cheaper than `best` and passes all tests, but the solver gave up.
  std::string why_unproved;
  double seconds = 0, seconds_to_best = 0;
  std::uint64_t proposals = 0, evaluated = 0, accepted = 0, proposals_to_best = 0;
  unsigned counterexamples = 0, tests = 0, proofs = 0;
};

/// Searches for a program that is cheaper than the target's own. The result is the same for any number of threads,
/// unless `seconds` ends the search.
/// \param report  is called with the intermediate result after each round
/// \throws bad_input  if there is no budget, chain or thread, or if an opcode has no latency
[[nodiscard]] search_result search(const target& t, const vocabulary& v, const cost_table& table,
                                   const search_settings& settings,
                                   const std::function<void(const search_result&)>& report = {});

}  // namespace superopt
