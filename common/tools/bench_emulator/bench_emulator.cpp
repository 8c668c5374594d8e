// How fast the emulator is: warp instructions per second on chapter 1's kernel, 2^20 ints, blocks of 128.

#include <benchmark/benchmark.h>

#include "workbook/laboratory.hpp"

namespace workbook {
reduction chapter1_solution();
}

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

}  // namespace

BENCHMARK_CAPTURE(reduce_interleaved, plain_1_thread, false, false, 1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(reduce_interleaved, counters_1_thread, true, false, 1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(reduce_interleaved, counters_and_checks_1_thread, true, true, 1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(reduce_interleaved, plain_2_threads, false, false, 2)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(reduce_interleaved, counters_and_checks_2_threads, true, true, 2)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

BENCHMARK_MAIN();
