#include "workbook/benchmark.hpp"

#include <memory>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "workbook/report.hpp"

namespace workbook {

int run_benchmarks(const chapter& c, const command_line& line, bool gpu_there) {
  if (!gpu_there) {
    fmt::print(stderr,
               "--benchmark measures time on a GPU, and there is none to use. The emulator counts; it has no time.\n");
    return 2;
  }
  emulator::select_device(emulator::device_kind::gpu);
  problem given = line.given;
  given.count = line.count.value_or(c.kernels ? c.kernels->default_count_gpu : std::size_t{1} << 26);
  if (c.kernels && !line.block_size_given) given.block_size = c.kernels->default_block_size;
  bool wrong = false;
  const double bytes = with_type(given.type, [](auto* tag) { return static_cast<double>(sizeof(*tag)); }) *
                       static_cast<double>(given.count);
  const auto add = [&wrong](const std::string& name, double moved, const std::function<outcome(const effort&)>& run) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&wrong, run, moved](benchmark::State& state) {
                                   for (auto _ : state) {
                                     const outcome o = run(effort{.observe = false, .repetitions = 1});
                                     if (!o.cold || !o.verified) {
                                       wrong = wrong || (o.attempted && !o.rejected);
                                       state.SkipWithError("the result is wrong, or the kernel cannot run on this");
                                       break;
                                     }
                                     state.SetIterationTime(o.cold->median_ms / 1e3);
                                   }
                                   if (moved > 0)
                                     state.counters["bytes_per_second"] =
                                         benchmark::Counter(moved, benchmark::Counter::kIsIterationInvariantRate);
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  if (c.kernels) {
    for (const specimen& kernel : c.kernels->kernels)
      add(kernel.name, 0, [&kernel, given](const effort& how) { return examine(kernel, given, how); });
  } else {
    const auto lab = std::make_shared<laboratory>(given);
    for (const reduction& rung : c.ladder) {
      if (rung.as != role::wrong) add(rung.name, bytes, [lab, rung](const effort& how) { return lab->run(rung, how); });
    }
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
