#pragma once
/// \file
/// The `main` of programs that Google Benchmark runs.

#include <benchmark/benchmark.h>

namespace host {

/// Runs the benchmarks that the command line chooses. \return 2 where it has a word that is no flag
[[nodiscard]] inline int run_benchmarks(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace host
