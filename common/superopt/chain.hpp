#pragma once
/// \file
/// One Markov chain over programs: a move is always taken where it makes the program better, and by chance where it
/// makes it worse, the less likely the worse (Metropolis).

#include <cstdint>

#include "superopt/evaluate.hpp"
#include "superopt/latency.hpp"
#include "superopt/mutate.hpp"

namespace superopt {

/// How cost and temperature are set. The cost of a program is its cycles, and where tests fail `penalty` times the
/// cycles of the target times the share of lane tests that fail to the power of 1.5 (so that one wrong lane is a step
/// that can be taken, and a program wrong in all of them no place to stay), and up to `unlike` cycles for the share of
/// the others.
struct chain_settings {
  /// In cycles: a change for the worse by so much is taken in one of 2.7 cases. 0: three tenths of what one wrong lane
  /// costs, from 1 to 6.
  double temperature = 0;
  double penalty = 1.5;
  double unlike = 4.0;
  unsigned patience = 250000;  ///< Proposals without a better program, after which the chain starts anew.
};

/// A program that passes all tests.
struct candidate {
  program code;  ///< Without dead code.
  unsigned cycles = 0;
};

/// Cheaper: fewer cycles, or as many and fewer instructions.
[[nodiscard]] inline bool cheaper(const candidate& a, const candidate& b) {
  return a.cycles != b.cycles ? a.cycles < b.cycles : a.code.size() < b.code.size();
}

/// Says which opcode of the target or the vocabulary the table has no figure for. \throws bad_input
void demand_known(const target& t, const vocabulary& v, const cost_table& table);

class chain {
 public:
  chain(const target& t, const vocabulary& v, const cost_table& table, const chain_settings& settings,
        std::uint64_t seed);

  /// Makes `count` proposals, judged by `tests`. Keeps the cheapest program that passed all of them.
  void run(std::uint64_t count, const test_suite& tests);

  [[nodiscard]] const candidate& best() const { return best_; }
  /// Takes `known` as what has to be beaten from now on. `new_tests`: where the chain stands may be wrong after all.
  void learn(const candidate& known, bool new_tests);
  /// Proposals whose tests were evaluated.
  [[nodiscard]] std::uint64_t evaluated() const { return evaluated_; }
  [[nodiscard]] std::uint64_t accepted() const { return accepted_; }

 private:
  struct state {
    program code;
    double cost = 0;
  };
  /// Sets the cost of `p`. Returns false where it reads what is not defined, or costs more than `bound`.
  [[nodiscard]] bool judge(const program& p, const test_suite& tests, double bound, double& cost);

  const target* target_;
  const vocabulary* vocabulary_;
  const cost_table* table_;
  chain_settings settings_;
  random_source random_;
  candidate start_, best_;
  state now_;
  bool stale_ = true;  ///< The cost of `now_` is not known: new tests.
  std::uint64_t evaluated_ = 0, accepted_ = 0, since_better_ = 0;
};

}  // namespace superopt
