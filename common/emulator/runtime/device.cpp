#include "emulator/runtime/device.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/call_findings.hpp"
#include "emulator/runtime/environment.hpp"
#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/host_watch.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/runtime/waiting_work.hpp"
#include "host/memory.hpp"

namespace emulator::runtime {
namespace {

/// The number of reports that are stored in full. A program that never takes them must not fill the memory.
constexpr std::size_t max_reports = 4096;
/// The number of further reports that are stored because they have findings, without their counters.
constexpr std::size_t max_findings = 4 * max_reports;
/// The number of different findings in calls that are stored.
constexpr std::size_t max_call_findings = 1000;

thread_local cudaError_t thread_error = cudaSuccess;

}  // namespace

device::device() {
  options_ = environment::instance().initial_options;
  facts_ = find_device_facts(options_.gpu);
  process_memory().devices.set(environment::instance().gpus, environment::instance().peers);
  apply_capacity();
}

/// Sets the capacity to that of the GPU, or to the unused memory of the host if that is less.
void device::apply_capacity() {
  static const std::uint64_t available = host::unused_memory();
  process_memory().memory.set_capacity(std::min(facts_->memory_bytes, available));
}

cudaError_t device::remember(cudaError_t result) {
  if (result != cudaSuccess && result != cudaErrorNotReady) thread_error = result;
  return result;
}

cudaError_t device::last_error() const {
  return sticky_ != cudaSuccess ? sticky_ : thread_error;
}
void device::forget_last_error() {
  thread_error = cudaSuccess;
}

options device::current_options() const {
  const std::lock_guard lock(mutex_);
  return options_;
}

void device::set_options(const options& wanted) {
  const std::lock_guard lock(mutex_);
  const device_facts* facts = find_device_facts(wanted.gpu);
  if (facts == nullptr) {
    throw std::invalid_argument("the emulator does not know a GPU named '" + wanted.gpu + "'; it knows " +
                                known_devices());
  }
  options_ = wanted;
  if (facts != facts_) {
    facts_ = facts;
    apply_capacity();
  }
}

void device::add_report(launch_report report) {
  const std::lock_guard lock(mutex_);
  if (reports_.size() >= max_reports) {
    if (!dropping_said_) {
      dropping_said_ = true;
      announce("more than " + std::to_string(max_reports) +
               " launches since the reports were last taken: the counters of further launches are not stored");
    }
    if (report.findings.empty() || reports_.size() >= max_findings) return;
    report.counters.clear();
    report.lines.clear();
  }
  reports_.push_back(std::move(report));
}

std::vector<launch_report> device::take_reports() {
  const std::lock_guard lock(mutex_);
  const pages_open here;
  waiting_work::instance().finish_all();
  dropping_said_ = false;
  return std::exchange(reports_, {});
}

void device::add_call_finding(call_finding found) {
  const std::lock_guard lock(mutex_);
  const auto rest = [](const call_finding& f) { return f.other ? std::string_view(f.other->rest_of_message) : ""; };
  for (call_finding& f : call_findings_) {
    // Findings at the same place with the same call stack are one mistake, whatever numbers they contain.
    const bool same = f.what.kind == found.what.kind && f.what.kernel == found.what.kernel && f.where == found.where &&
                      f.taken_back_by == found.taken_back_by &&
                      (!f.where.addresses.empty() || (f.what.message == found.what.message && rest(f) == rest(found)));
    if (!same) continue;
    ++f.what.count;
    return;
  }
  if (call_findings_.size() < max_call_findings) call_findings_.push_back(std::move(found));
}

bool device::has_launch_to_ask_for() const {
  const auto here = std::this_thread::get_id();
  return std::ranges::any_of(call_findings_, [&](const call_finding& f) { return f.taken_back_by == here; });
}

void device::take_back_launches() {
  std::erase_if(call_findings_,
                [here = std::this_thread::get_id()](const call_finding& f) { return f.taken_back_by == here; });
}

void device::set_refusal(refusal why) {
  const std::scoped_lock lock(mutex_);
  refusal_ = std::move(why);
}

std::optional<refusal> device::take_refusal() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(refusal_, {});
}

std::vector<finding> device::take_call_findings() {
  const std::lock_guard lock(mutex_);
  waiting_work::instance().finish_all();
  return with_lines(std::exchange(call_findings_, {}));
}

void device::reset() {
  const std::lock_guard lock(mutex_);
  auto& all = process_memory().devices;
  if (all.count() > 1) {
    const int here = memory::current_device();
    unload_modules_of_device();
    timeline::instance().clear_device(here);
    process_memory().memory.reset(here);
    all.forget_access(here);
  } else {
    unload_all_modules();
    timeline::instance().clear();
    graph_table::instance().clear();
    process_memory().memory.reset();
  }
  sticky_ = cudaSuccess;
  thread_error = cudaSuccess;
  replace_managed_variables();
}

void announce(const std::string& words) {
  if (!device::instance().current_options().announce_errors) return;
  std::fflush(stdout);
  // A single call, so that lines of several threads or processes do not mix.
  const std::string line = "emulator: " + words + "\n";
  std::fputs(line.c_str(), stderr);
}

void announce_once(const std::string& words) {
  static auto* said = new std::set<std::string>;
  static auto* mutex = new std::mutex;
  {
    const std::lock_guard lock(*mutex);
    if (!said->insert(words).second) return;
  }
  announce(words);
}

}  // namespace emulator::runtime
