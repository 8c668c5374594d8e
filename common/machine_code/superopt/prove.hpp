#pragma once
/// \file
/// Decides with an SMT solver if two programs are equivalent for all inputs, in all lanes that matter.

#include <optional>
#include <string>

#include "machine_code/superopt/evaluate.hpp"

namespace superopt {

enum class verdict {
  proved,   ///< No input distinguishes the programs.
  refuted,  ///< Some input distinguishes the programs.
  unknown   ///< Not proved, because there is no solver or it gave up.
};

struct proof {
  verdict is = verdict::unknown;
  std::optional<test_case> counterexample;  ///< Set if the outcome is `refuted`.
  std::string reason;                       ///< If the outcome is `unknown`: why.
  double seconds = 0;
};

/// Limits of one proof. `steps` does not depend on the machine's speed.
struct proof_limits {
  unsigned milliseconds = 20000;
  unsigned steps = 0;  ///< Z3's resource limit; 0 for none.
};

/// Returns true if this build has a solver.
[[nodiscard]] bool can_prove();

/// Compares `p` with the target's own program.
[[nodiscard]] proof prove_equivalent(const program& p, const target& t, const proof_limits& limits = {});

/// Returns "proved", "refuted" or "not proved: " with the reason.
[[nodiscard]] std::string to_text(const proof& p);

}  // namespace superopt
