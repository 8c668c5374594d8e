#pragma once
/// \file
/// The main function of programs that use Google Benchmark.

#include <benchmark/benchmark.h>

namespace host {

/// Runs the benchmarks that the command line selects. \return 2 if it has an unknown argument, otherwise 0
[[nodiscard]] inline int run_benchmarks(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace host
