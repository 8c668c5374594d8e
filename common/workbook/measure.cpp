#include "workbook/measure.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "workbook/guarded.hpp"

namespace workbook {
namespace {

/// The kernel whose fault made the GPU unusable for this process; empty while it is usable.
std::string gone_with;

}  // namespace

std::vector<emulator::finding> outcome::findings() const {
  std::vector<emulator::finding> all = in_calls;
  for (const emulator::launch_report& l : launches) all.insert(all.end(), l.findings.begin(), l.findings.end());
  return all;
}

const emulator::launch_report& outcome::main_launch() const {
  return *std::ranges::max_element(launches, {}, [](const emulator::launch_report& l) {
    return emulator::count_in(l.counters, "workbook__inst_executed.sum");
  });
}

watched_run::watched_run(bool observe, std::size_t count, const effort& how) : before_(emulator::current_options()) {
  if (on_gpu()) return;
  emulator::options wanted = before_;
  // Sensible kernels need fewer instructions than this, and a kernel that never ends is stopped within seconds.
  if (wanted.max_instructions == 0) wanted.max_instructions = 400'000 + 100 * std::uint64_t{count};
  wanted.counters = observe;
  wanted.memcheck = wanted.initcheck = wanted.racecheck = wanted.synccheck = observe && how.check;
  wanted.critical_path = how.follow;
  wanted.announce_errors = false;
  // The workbook checks the result of each call itself, with its own messages.
  wanted.api_errors = false;
  wanted.unset_byte = how.unset_byte;
  // A block must not depend on blocks that start later, no matter how many fit at once.
  wanted.blocks_at_once = 1;
  emulator::set_options(wanted);
  (void)emulator::take_reports();
  (void)emulator::take_call_findings();
  (void)emulator::take_refusal();
}
watched_run::~watched_run() {
  emulator::set_options(before_);
}

void recover_device(const std::string& kernel) {
  cudaDeviceReset();
  (void)cudaGetLastError();
  if (on_gpu() && (cudaFree(nullptr) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)) gone_with = kernel;
  (void)cudaGetLastError();
}

std::optional<std::string> why_device_is_gone() {
  if (!on_gpu() || gone_with.empty()) return {};
  return fmt::format("not run: {} faulted, and since then this process cannot use the GPU", gone_with);
}

}  // namespace workbook
