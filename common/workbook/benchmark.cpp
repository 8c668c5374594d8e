#include "workbook/benchmark.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace workbook {
namespace {

/// Times a kernel. Returns true if it was right, not attempted, or rejected for this problem.
bool take_time(const specimen& kernel, const problem& given, benchmark::State& state) {
  double bytes = 0;
  for (auto _ : state) {
    const outcome o = examine(kernel, given, effort{.observe = false, .repetitions = 1});
    if (!o.cold || !o.verified) {
      state.SkipWithError("the result is wrong, or the kernel cannot run on this");
      return !o.attempted || o.rejected;
    }
    state.SetIterationTime(o.cold->median_ms / 1e3);
    bytes = o.bytes;
  }
  if (bytes > 0)
    state.counters["bytes_per_second"] = benchmark::Counter(bytes, benchmark::Counter::kIsIterationInvariantRate);
  return true;
}

}  // namespace

int run_benchmarks(const chapter& c, const command_line& line, bool gpu_there) {
  if (!gpu_there) {
    fmt::print(
        stderr,
        "--benchmark measures time on a GPU, but no GPU can be used. The emulator only counts; it has no time.\n");
    return 2;
  }
  emulator::select_device(emulator::device_kind::gpu);
  problem given = line.given;
  given.count = line.count.value_or(c.table.default_count_gpu);
  bool wrong = false;
  for (const specimen& kernel : c.table.kernels) {
    if (kernel.as == role::wrong) continue;
    benchmark::RegisterBenchmark(kernel.name.c_str(),
                                 [&](benchmark::State& state) { wrong |= !take_time(kernel, given, state); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  std::vector<std::string> words = line.benchmark_arguments;
  words.insert(words.begin(), "chapter");
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return wrong ? 1 : 0;
}

}  // namespace workbook
