#include "machine_code/superopt/search.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <fmt/format.h>

namespace superopt {
namespace {

/// The number of proposals that a chain makes before the results of all chains are checked.
constexpr std::uint64_t per_round = 100'000;

void demand_sense(const target& t, const vocabulary& v, const cost_table& table, const search_settings& s) {
  if (s.budget == 0) throw bad_input("a budget of 0 proposals leaves nothing to try; give --budget 1 or more");
  if (s.chains == 0 || s.threads == 0) throw bad_input("at least one chain and one thread are needed");
  if (v.opcodes.empty()) throw bad_input("no opcode to build programs of");
  if (!(s.chain.temperature >= 0)) throw bad_input("the temperature must be at least 0");
  demand_known(t, v, table);
}

/// Runs f(k) for k below `count` on `threads` threads.
template <typename F>
void in_parallel(unsigned count, unsigned threads, F f) {
  std::atomic<unsigned> next{0};
  const auto work = [&] {
    for (unsigned k = next++; k < count; k = next++) f(k);
  };
  std::vector<std::jthread> others;
  for (unsigned k = 1; k < std::min(threads, count); ++k) others.emplace_back(work);
  work();
}

class run_of_chains {
 public:
  run_of_chains(const target& t, const vocabulary& v, const cost_table& table, const search_settings& s)
      : target_(t), settings_(s), tests_(t, s.seed) {
    random_source seeds(s.seed);
    for (unsigned k = 0; k < s.chains; ++k) {
      // Every other chain has a higher penalty, which is better for small targets but not for large ones.
      chain_settings own = s.chain;
      if (k % 2 != 0) own.penalty *= 1.6;
      chains_.emplace_back(t, v, table, own, seeds.bits());
    }
    result_.start = result_.best = chains_.front().best();
    result_.equivalence.is = verdict::proved;  // the target is equivalent to itself
  }

  search_result run(const std::function<void(const search_result&)>& report) {
    while (result_.proposals < settings_.budget && !out_of_time() && !good_enough()) {
      const std::uint64_t left = settings_.budget - result_.proposals;
      const std::uint64_t each = std::min<std::uint64_t>(per_round, (left + chains_.size() - 1) / chains_.size());
      in_parallel(static_cast<unsigned>(chains_.size()), settings_.threads,
                  [&](unsigned k) { chains_[k].run(each, tests_); });
      result_.proposals = std::min(settings_.budget, result_.proposals + each * chains_.size());
      judge_findings();
      count_up();
      if (report) report(result_);
    }
    count_up();
    return result_;
  }

 private:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  [[nodiscard]] bool out_of_time() const { return settings_.seconds > 0 && seconds() >= settings_.seconds; }
  [[nodiscard]] bool good_enough() const {
    return result_.best.cycles <= settings_.stop_at && result_.equivalence.is == verdict::proved;
  }

  /// Lets the solver check the candidates that are cheaper than the best program so far, in the order of the chains.
  void judge_findings() {
    bool refuted = false;
    for (chain& c : chains_) {
      const candidate found = c.best();
      if (!cheaper(found, result_.best) || (result_.unproved && !cheaper(found, *result_.unproved))) continue;
      ++result_.proofs;
      const proof p = prove_equivalent(found.code, target_, settings_.proof);
      if (p.is == verdict::refuted) {
        tests_.add(*p.counterexample);
        ++result_.counterexamples;
        refuted = true;
      } else if (p.is == verdict::unknown) {
        result_.unproved = found;
        result_.why_unproved = p.reason;
      } else {
        result_.best = found;
        result_.equivalence = p;
        result_.seconds_to_best = seconds();
        result_.proposals_to_best = result_.proposals;
        if (result_.unproved && !cheaper(*result_.unproved, found)) result_.unproved.reset();
      }
    }
    const candidate& known = result_.unproved ? *result_.unproved : result_.best;
    for (chain& c : chains_) c.learn(known, refuted);
  }

  void count_up() {
    result_.seconds = seconds();
    result_.tests = tests_.test_count();
    result_.evaluated = result_.accepted = 0;
    for (const chain& c : chains_) {
      result_.evaluated += c.evaluated();
      result_.accepted += c.accepted();
    }
  }

  const target& target_;
  search_settings settings_;
  test_suite tests_;
  std::vector<chain> chains_;
  search_result result_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

search_result search(const target& t, const vocabulary& v, const cost_table& table, const search_settings& settings,
                     const std::function<void(const search_result&)>& report) {
  demand_sense(t, v, table, settings);
  return run_of_chains(t, v, table, settings).run(report);
}

}  // namespace superopt
