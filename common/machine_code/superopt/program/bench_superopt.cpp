// Measures the speed of the superoptimiser on one core: how many programs are tested per second (items are single
// tests), and how many proposals are made.

#include <benchmark/benchmark.h>

#include "host/benchmarks.hpp"
#include "machine_code/superopt/search.hpp"

namespace {

using namespace superopt;

void evaluate_tests(benchmark::State& state, const char* name) {
  const target t = load_target(name);
  const test_suite tests(t, 1);
  const needed_lanes needed = find_needed(t.code, t).needed;
  for (auto _ : state) benchmark::DoNotOptimize(tests.failures(t.code, needed));
  state.SetItemsProcessed(state.iterations() * tests.test_count());
}

void propose(benchmark::State& state, const char* name) {
  const target t = load_target(name);
  const vocabulary v = vocabulary_for(t);
  const cost_table table = load_cost_table("turing");
  const test_suite tests(t, 1);
  constexpr std::int64_t at_once = 10000;
  chain one(t, v, table, {}, 1);
  for (auto _ : state) one.run(at_once, tests);
  state.SetItemsProcessed(state.iterations() * at_once);
}

}  // namespace

BENCHMARK_CAPTURE(evaluate_tests, sum16_chain, "sum16");
BENCHMARK_CAPTURE(evaluate_tests, sum16_tree, "sum16_tree");
BENCHMARK_CAPTURE(evaluate_tests, sum32_all, "sum32_all");
BENCHMARK_CAPTURE(propose, sum16, "sum16");
BENCHMARK_CAPTURE(propose, sum32_all, "sum32_all");

int main(int argc, char** argv) {
  return host::run_benchmarks(argc, argv);
}
