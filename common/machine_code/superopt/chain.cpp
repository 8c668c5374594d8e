#include "machine_code/superopt/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace superopt {

void demand_known(const target& t, const vocabulary& v, const cost_table& table) {
  demand_known(t.code, table);
  for (const opcode op : v.opcodes) demand_known(program{{.op = op}}, table);
}

chain::chain(const target& t, const vocabulary& v, const cost_table& table, const chain_settings& settings,
             std::uint64_t seed)
    : target_(&t), vocabulary_(&v), table_(&table), settings_(settings), random_(seed) {
  start_.code = without_dead_code(t.code, t);
  start_.cycles = cycles_of(start_.code, t, table);
  now_.code = start_.code;
  best_ = start_;
  if (settings_.temperature > 0) return;
  double lanes = 0;
  for (const place& in : t.inputs) lanes += __builtin_popcount(in.lanes);
  settings_.temperature = std::clamp(0.3 * start_.cycles / std::max(1.0, lanes), 1.0, 6.0);
}

void chain::learn(const candidate& known, bool new_tests) {
  best_ = known;
  stale_ = stale_ || new_tests;
}

bool chain::judge(const program& p, const test_suite& tests, double bound, double& cost) {
  const liveness found = find_needed(p, *target_);
  if (found.undefined) return false;
  cost = cycles_of(p, *target_, *table_);
  // The tests need not run, because failed tests can only increase the cost.
  if (cost > bound) return false;
  ++evaluated_;
  const failed_share failed = tests.failures(p, found.needed);
  if (!failed.none()) {
    cost += settings_.penalty * start_.cycles * failed.lane_tests * std::sqrt(failed.lane_tests) +
            settings_.unlike * failed.others;
    return cost <= bound;
  }
  candidate shorter{without_dead_code(p, *target_), 0};
  shorter.cycles = cycles_of(shorter.code, *target_, *table_);
  if (cheaper(shorter, best_)) {
    best_ = shorter;
    since_better_ = 0;
  }
  return true;
}

void chain::run(std::uint64_t count, const test_suite& tests) {
  if (stale_) {
    (void)judge(now_.code, tests, std::numeric_limits<double>::infinity(), now_.cost);
    stale_ = false;
  }
  state next;
  for (std::uint64_t k = 0; k < count; ++k) {
    if (++since_better_ > settings_.patience) {
      since_better_ = 0;
      now_.code = random_.below(2) == 0 ? start_.code : best_.code;
      (void)judge(now_.code, tests, std::numeric_limits<double>::infinity(), now_.cost);
    }
    next.code = now_.code;
    // Some improvements need two or three moves at once, because the programs between them are far more expensive.
    bool moved = mutate(next.code, *target_, *vocabulary_, random_);
    while (random_.below(5) < 2) moved = mutate(next.code, *target_, *vocabulary_, random_) || moved;
    if (!moved) continue;
    // A move is accepted with probability exp(-increase / temperature). The bound is drawn first, so that the
    // evaluation can stop as soon as the cost exceeds it.
    const double bound = now_.cost - settings_.temperature * std::log(1.0 - random_.unit());
    if (!judge(next.code, tests, bound, next.cost)) continue;
    now_ = next;
    ++accepted_;
  }
}

}  // namespace superopt
