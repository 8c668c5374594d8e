// Replaces benchmark.cpp in a build without Google Benchmark.

#include <fmt/format.h>

#include "workbook/benchmark.hpp"

namespace workbook {

int run_benchmarks(const chapter&, const command_line&, bool) {
  fmt::print(
      stderr,
      "--benchmark needs Google Benchmark, which was missing when this program was built. Install it (libbenchmark-dev "
      "on Debian and Ubuntu), remove CMakeCache.txt from the build folder, and run make again.\n");
  return 2;
}

}  // namespace workbook
