#include "timing/machine/bench.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace workbook::machine {

bench::bench(bool timed, std::FILE* spoken)
    : watch_(timed ? std::make_unique<stop_watch>() : nullptr), spoken_(spoken) {}

double bench::microseconds(const std::function<void()>& run, start how, int repetitions) {
  return median(all_microseconds(run, how, repetitions));
}

double bench::least_microseconds(const std::function<void()>& run, start how, int repetitions) {
  const std::vector<double> times = all_microseconds(run, how, repetitions);
  return times.empty() ? NAN : *std::min_element(times.begin(), times.end());
}

std::vector<double> bench::all_microseconds(const std::function<void()>& run, start how, int repetitions) {
  if (!timed()) {
    run();
    take_findings();
    return {};
  }
  std::vector<double> times;
  int late = 0;
  for (int k = -2; k < repetitions; ++k) {
    const stop_watch::sample taken = watch_->take(run, how);
    if (k < 0) continue;
    times.push_back(taken.microseconds);
    if (!taken.queued && how != start::idle) ++late;
  }
  check(cudaGetLastError());
  if (late != 0) tell(fmt::format("  {} of {} runs were not queued in time:\n", late, repetitions));
  return times;
}

void bench::take_findings() {
  if (timed()) return;
  check(cudaDeviceSynchronize());
  last_ = emulator::take_reports();
  for (const emulator::launch_report& report : last_) {
    for (const emulator::finding& found : report.findings) expect(false, found.kernel + ": " + found.message);
  }
}

std::uint64_t bench::counted(const std::string& counter) const {
  std::uint64_t sum = 0;
  for (const emulator::launch_report& report : last_) sum += emulator::count_in(report.counters, counter);
  return sum;
}

void bench::expect(bool right, const std::string& what) {
  if (right) return;
  all_right_ = false;
  tell(fmt::format("WRONG: {}\n", what));
}

void bench::heading(std::string_view part) {
  tell(fmt::format("{}{}\n", timed() ? "\n" : "", part));
}

void bench::tell(std::string_view text) {
  fmt::print(spoken_, "{}", text);
  std::fflush(spoken_);
}

void allow_shared(const void* kernel, std::size_t shared_bytes) {
  if (shared_bytes <= 48 * 1024) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
}

unsigned blocks_that_fit(const void* kernel, unsigned block_size, std::size_t shared_bytes) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(block_size), shared_bytes));
  return static_cast<unsigned>(blocks);
}

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
  // The minimum of each time. The minimum of the differences would prefer pairs whose shorter run was disturbed.
  double once = HUGE_VAL, twice = HUGE_VAL;
  for (int run = 0; run < 15; ++run) {
    once = std::min(once, run_clocked(k, repetitions).cycles);
    twice = std::min(twice, run_clocked(k, 2 * repetitions).cycles);
  }
  return (twice - once) / (static_cast<double>(repetitions) * k.steps);
}

}  // namespace workbook::machine
