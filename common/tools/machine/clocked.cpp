#include "tools/machine/clocked.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace workbook::machine {

clocked_result run_clocked(const clocked_kernel& k, unsigned repetitions) {
  clocked_result result;
  result.values = k.values;
  if (result.values.empty()) {
    result.values.resize(k.threads);
    std::iota(result.values.begin(), result.values.end(), 1u);
  }
  const device_bytes cycles(sizeof(long long)), values(result.values.size() * sizeof(unsigned));
  check(cudaMemcpy(values.data(), result.values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
  allow_shared(k.kernel, k.shared_bytes);
  launch(k.kernel, 1, k.threads, k.shared_bytes, cycles.data(), values.data(), repetitions);
  long long measured = 0;
  check(cudaMemcpy(&measured, cycles.data(), sizeof measured, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(result.values.data(), values.data(), values.size_bytes(), cudaMemcpyDeviceToHost));
  result.cycles = static_cast<double>(measured);
  return result;
}

double cycles_of_step(bench& b, const clocked_kernel& k) {
  if (!b.timed()) {
    const clocked_result got = run_clocked(k, 2);
    b.take_findings();
    for (unsigned thread = 0; k.expected != nullptr && thread < k.threads; ++thread) {
      b.expect(got.values[thread] == k.expected(thread, 2),
               fmt::format("{}: thread {} has {}, not {}", k.name, thread, got.values[thread], k.expected(thread, 2)));
    }
    return NAN;
  }
  constexpr unsigned repetitions = 64;
  // The least of each: the least of the differences would prefer those whose shorter run was disturbed.
  double once = HUGE_VAL, twice = HUGE_VAL;
  for (int run = 0; run < 15; ++run) {
    once = std::min(once, run_clocked(k, repetitions).cycles);
    twice = std::min(twice, run_clocked(k, 2 * repetitions).cycles);
  }
  return (twice - once) / (static_cast<double>(repetitions) * k.steps);
}

}  // namespace workbook::machine
