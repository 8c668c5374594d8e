#pragma once
/// \file
/// The main function of programs that use Google Benchmark.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string_view>

#include "host/version.hpp"

namespace host {

/// Runs the benchmarks that the command line selects, or prints the version after `--version`.
/// \return 2 if there is an unknown argument, otherwise 0
[[nodiscard]] inline int run_benchmarks(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::fprintf(stdout, "%s\n", version_text(argv[0]).c_str());
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace host
