#pragma once
/// \file
/// The search: several chains on the host's cores, and a solver that has the last word.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "superopt/chain.hpp"
#include "superopt/prove.hpp"

namespace superopt {

struct search_settings {
  std::uint64_t seed = 1;
  std::uint64_t budget = 16'000'000;  ///< Proposals, all chains together. At least 1.
  double seconds = 0;   ///< An end by the clock; 0: none. What it cuts off depends on the machine's speed.
  unsigned chains = 4;  ///< Their number decides what is found; that of the threads does not.
  unsigned threads = 1;
  unsigned stop_at = 0;  ///< Ends once a proved program takes no more cycles than this; 0: never.
  chain_settings chain{};
  proof_limits proof{};
};

struct search_result {
  candidate start, best;
  proof equivalence;                  ///< Of `best`.
  std::optional<candidate> unproved;  ///< Cheaper than `best`, passes all tests, and the solver gave up on it.
  std::string why_unproved;
  double seconds = 0, seconds_to_best = 0;
  std::uint64_t proposals = 0, evaluated = 0, accepted = 0, proposals_to_best = 0;
  unsigned counterexamples = 0, tests = 0, proofs = 0;
};

/// Searches for a cheaper program than the target's own. The result is the same for any number of threads, unless
/// `seconds` cuts it off. \param report  is told what there is so far, now and then \throws bad_input  no budget, no
/// chain, no thread, or an opcode without a latency
[[nodiscard]] search_result search(const target& t, const vocabulary& v, const cost_table& table,
                                   const search_settings& settings,
                                   const std::function<void(const search_result&)>& report = {});

}  // namespace superopt
