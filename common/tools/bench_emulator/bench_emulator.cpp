// How fast the emulator is: warp instructions per second on chapter 1's kernel, 2^20 ints, blocks of 128.

#include <benchmark/benchmark.h>

#include "chapters/rungs.hpp"
#include "host/benchmarks.hpp"
#include "workbook/laboratory.hpp"

namespace {

void reduce_interleaved(benchmark::State& state, bool counters, bool checks, unsigned host_threads) {
  using namespace workbook;
  emulator::select_device(emulator::device_kind::emulator);
  emulator::options o = emulator::current_options();
  o.counters = counters;
  o.memcheck = o.initcheck = o.racecheck = o.synccheck = checks;
  o.host_threads = host_threads;
  emulator::set_options(o);
  constexpr std::size_t n = std::size_t{1} << 20;
  laboratory lab({element_type::int32, n, 128, 1});
  const reduction rung = chapter1_solution();
  std::uint64_t executed = 0;
  for (auto _ : state) {
    const std::uint64_t before = emulator::warp_instructions_executed();
    if (!lab.launch(rung)) state.SkipWithError("the sum is wrong");
    executed += emulator::warp_instructions_executed() - before;
    (void)emulator::take_reports();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(executed));
}

/// Adds a benchmark; its times are those of the wall, on all processors.
void add(const char* name, bool counters, bool checks, unsigned host_threads) {
  benchmark::RegisterBenchmark(name, reduce_interleaved, counters, checks, host_threads)
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  add("reduce_interleaved/plain_1_thread", false, false, 1);
  add("reduce_interleaved/counters_1_thread", true, false, 1);
  add("reduce_interleaved/counters_and_checks_1_thread", true, true, 1);
  add("reduce_interleaved/plain_2_threads", false, false, 2);
  add("reduce_interleaved/counters_and_checks_2_threads", true, true, 2);
  return host::run_benchmarks(argc, argv);
}
