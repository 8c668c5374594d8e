#pragma once
/// \file
/// One Markov chain over programs. A move that makes the program cheaper is always accepted. A move that makes it more
/// expensive is accepted with a probability that falls with the additional cost (Metropolis).

#include <cstdint>

#include "machine_code/superopt/evaluate.hpp"
#include "machine_code/superopt/latency.hpp"
#include "machine_code/superopt/mutate.hpp"

namespace superopt {

/// The parameters of cost and temperature. The cost of a program is its cycles. If some tests fail, two amounts are
/// added: `penalty` times the target's cycles times the failed share of lane tests to the power of 1.5, and `unlike`
/// cycles times the failed share of the other tests. The power makes a program with one wrong lane cheap enough for the
/// chain to accept, and a program in which all lanes are wrong too expensive for the chain to stay there.
struct chain_settings {
  /// Temperature in cycles: a change that costs this much more is accepted in one case out of 2.7. If 0, the
  /// temperature is three tenths of the target's cycles per defined input lane, but at least 1 and at most 6.
  double temperature = 0;
  double penalty = 1.5;
  double unlike = 4.0;
  unsigned patience = 250000;  ///< The chain restarts after this many proposals without a better program.
};

/// A program that passes all tests.
struct candidate {
  program code;  ///< Without dead code.
  unsigned cycles = 0;
};

/// Returns true if `a` has fewer cycles, or the same number of cycles and fewer instructions.
[[nodiscard]] inline bool cheaper(const candidate& a, const candidate& b) {
  return a.cycles != b.cycles ? a.cycles < b.cycles : a.code.size() < b.code.size();
}

/// Throws if the table has no latency for an opcode of the target or the vocabulary; the message names the opcode.
/// \throws bad_input
void demand_known(const target& t, const vocabulary& v, const cost_table& table);

class chain {
 public:
  chain(const target& t, const vocabulary& v, const cost_table& table, const chain_settings& settings,
        std::uint64_t seed);

  /// Makes `count` proposals and evaluates them with `tests`. Stores the cheapest program that passed all of them.
  void run(std::uint64_t count, const test_suite& tests);

  [[nodiscard]] const candidate& best() const { return best_; }
  /// Replaces the best program by `known`, which later programs have to beat. If `new_tests` is true, the cost of the
  /// current program is evaluated again, because it may fail a new test.
  void learn(const candidate& known, bool new_tests);
  /// Returns the number of proposals whose tests were evaluated.
  [[nodiscard]] std::uint64_t evaluated() const { return evaluated_; }
  [[nodiscard]] std::uint64_t accepted() const { return accepted_; }

 private:
  struct state {
    program code;
    double cost = 0;
  };
  /// Sets `cost` to the cost of `p`. Returns false if `p` reads undefined lanes or costs more than `bound`.
  [[nodiscard]] bool judge(const program& p, const test_suite& tests, double bound, double& cost);

  const target* target_;
  const vocabulary* vocabulary_;
  const cost_table* table_;
  chain_settings settings_;
  random_source random_;
  candidate start_, best_;
  state now_;
  bool stale_ = true;  ///< The cost of `now_` is unknown, for example because of new tests.
  std::uint64_t evaluated_ = 0, accepted_ = 0, since_better_ = 0;
};

}  // namespace superopt
