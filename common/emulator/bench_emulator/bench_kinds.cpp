// Measures the speed of the emulator on programs of many kinds. Each runs with the interpreter alone, and with machine
// code.

#include <benchmark/benchmark.h>

#include <string>

#include "emulator/emulator.hpp"
#include "host/benchmarks.hpp"
#include "kinds.hpp"

namespace {

void run(benchmark::State& state, const bench_kinds::kind& one, bool watched, bool native) {
  emulator::select_device(emulator::device_kind::emulator);
  emulator::options o = emulator::current_options();
  o.counters = o.memcheck = o.initcheck = o.racecheck = o.synccheck = watched;
  o.host_threads = 1;
  o.native_after = native ? emulator::options{}.native_after : emulator::options::never_native;
  emulator::set_options(o);
  std::uint64_t executed = 0;
  for (auto _ : state) {
    const std::uint64_t before = emulator::warp_instructions_executed();
    if (one.run() == 0) state.SkipWithError("a launch failed");
    executed += emulator::warp_instructions_executed() - before;
    (void)emulator::take_reports();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(executed));
}

}  // namespace

int main(int argc, char** argv) {
  for (const bench_kinds::kind& one : bench_kinds::all()) {
    for (const bool watched : {false, true}) {
      for (const bool native : {false, true}) {
        const std::string name =
            std::string(one.name) + (watched ? "/all checks" : "/plain") + (native ? "/native" : "/interpreter");
        benchmark::RegisterBenchmark(name.c_str(), run, one, watched, native)
            ->Unit(benchmark::kMillisecond)
            ->MeasureProcessCPUTime();
      }
    }
  }
  return host::run_benchmarks(argc, argv);
}
