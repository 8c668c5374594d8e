#pragma once
/// \file
/// Equivalence of two programs, for all inputs and in all lanes that matter, decided by an SMT solver.

#include <optional>
#include <string>

#include "machine_code/superopt/evaluate.hpp"

namespace superopt {

enum class verdict {
  proved,   ///< No input distinguishes them.
  refuted,  ///< Some input distinguishes them.
  unknown   ///< Not proved, because there is no solver or it gave up.
};

struct proof {
  verdict is = verdict::unknown;
  std::optional<test_case> counterexample;  ///< If refuted.
  std::string reason;                       ///< If unknown: why.
  double seconds = 0;
};

/// Limits of one proof. The second one does not depend on the machine's speed.
struct proof_limits {
  unsigned milliseconds = 20000;
  unsigned steps = 0;  ///< Z3's resource limit; 0 for none.
};

/// Returns true if this build has a solver.
[[nodiscard]] bool can_prove();

/// Compares `p` with the target's program.
[[nodiscard]] proof prove_equivalent(const program& p, const target& t, const proof_limits& limits = {});

/// Returns "proved", "refuted" or "not proved: …".
[[nodiscard]] std::string to_text(const proof& p);

}  // namespace superopt
