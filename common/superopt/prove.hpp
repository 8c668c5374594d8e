#pragma once
/// \file
/// Whether two programs compute the same for all inputs, in all lanes that matter: a question for an SMT solver.

#include <optional>
#include <string>

#include "superopt/evaluate.hpp"

namespace superopt {

enum class verdict {
  proved,   ///< No input tells them apart.
  refuted,  ///< There is one that does.
  unknown   ///< Not proved: no solver here, or it gave up.
};

struct proof {
  verdict is = verdict::unknown;
  std::optional<test_case> counterexample;  ///< Where refuted.
  std::string reason;                       ///< Where unknown: why.
  double seconds = 0;
};

/// Limits of one question. The second one does not depend on the machine's speed.
struct proof_limits {
  unsigned milliseconds = 20000;
  unsigned steps = 0;  ///< Z3's resource limit; 0: none.
};

/// True where this build has a solver.
[[nodiscard]] bool can_prove();

/// Compares `p` with the target's program.
[[nodiscard]] proof prove_equivalent(const program& p, const target& t, const proof_limits& limits = {});

/// "proved", "refuted" or "not proved: …"
[[nodiscard]] std::string to_text(const proof& p);

}  // namespace superopt
