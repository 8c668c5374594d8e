// Measures the speed of the emulator in warp instructions per second: on chapter 1's kernel with 2^20 ints and blocks
// of 128, and on the kernels of the whole ladder with 2^18 ints.

#include <benchmark/benchmark.h>

#include <string>

#include "chapters/rungs.hpp"
#include "host/benchmarks.hpp"
#include "workbook/laboratory.hpp"

namespace {

void reduce(benchmark::State& state, const workbook::reduction& rung, std::size_t n, bool counters, bool checks,
            unsigned host_threads, bool native) {
  using namespace workbook;
  emulator::select_device(emulator::device_kind::emulator);
  emulator::options o = emulator::current_options();
  o.counters = counters;
  o.memcheck = o.initcheck = o.racecheck = o.synccheck = checks;
  o.host_threads = host_threads;
  o.native_after = native ? emulator::options{}.native_after : emulator::options::never_native;
  emulator::set_options(o);
  laboratory lab({element_type::int32, n, 128, 1});
  std::uint64_t executed = 0;
  for (auto _ : state) {
    const std::uint64_t before = emulator::warp_instructions_executed();
    if (!lab.launch(rung)) state.SkipWithError("the sum is wrong");
    executed += emulator::warp_instructions_executed() - before;
    (void)emulator::take_reports();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(executed));
}

/// Adds a benchmark that measures wall-clock time, and the CPU time of all threads of the process.
void add(const std::string& name, const workbook::reduction& rung, unsigned log2_n, bool counters, bool checks,
         unsigned host_threads, bool native = true) {
  benchmark::RegisterBenchmark(name.c_str(), reduce, rung, std::size_t{1} << log2_n, counters, checks, host_threads,
                               native)
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  const workbook::reduction first = workbook::chapter1_solution();
  add("reduce_interleaved/interpreter_plain_1_thread", first, 20, false, false, 1, false);
  add("reduce_interleaved/interpreter_counters_and_checks_1_thread", first, 20, true, true, 1, false);
  add("reduce_interleaved/plain_1_thread", first, 20, false, false, 1);
  add("reduce_interleaved/counters_1_thread", first, 20, true, false, 1);
  add("reduce_interleaved/counters_and_checks_1_thread", first, 20, true, true, 1);
  add("reduce_interleaved/plain_2_threads", first, 20, false, false, 2);
  add("reduce_interleaved/counters_and_checks_2_threads", first, 20, true, true, 2);
  for (const workbook::reduction& rung : workbook::ladder_references()) {
    const std::string name = "ladder/" + rung.name + "/";
    add(name + "plain", rung, 18, false, false, 1);
    add(name + "counters_and_checks", rung, 18, true, true, 1);
  }
  return host::run_benchmarks(argc, argv);
}
