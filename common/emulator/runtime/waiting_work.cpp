#include "emulator/runtime/waiting_work.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "emulator/memory/devices.hpp"
#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/host_watch.hpp"
#include "emulator/runtime/process_memory.hpp"

namespace emulator::runtime {
namespace {

std::atomic<bool> watcher_there = false;

/// The time that other host threads have to do what a kernel waits for.
constexpr std::chrono::seconds patience{2};

/// Returns true if the program has other threads, which may launch the work that a kernel waits for.
bool has_other_threads() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return !error && std::distance(begin(tasks), end(tasks)) > (watcher_there ? 2 : 1);
}

/// If the host has not called the runtime for this long while kernels wait, it may be polling memory itself. The
/// watcher thread then resumes the kernels.
constexpr std::chrono::milliseconds host_is_silent{100};

/// Releases the lock for a moment, so that other host threads can call the runtime.
void let_others_call() {
  std::recursive_mutex& mutex = device::instance().mutex();
  mutex.unlock();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  mutex.lock();
}

bool has_faulted() {
  return device::instance().sticky_error() != cudaSuccess;
}

}  // namespace

/// Starts the thread that resumes waiting work while the host polls. It runs until the program ends.
void waiting_work::watch_host() {
  if (watcher_there.exchange(true)) return;
  try {
    std::thread([this] {
      for (std::uint64_t before = calls_made();;) {
        std::this_thread::sleep_for(host_is_silent);
        const std::uint64_t now = calls_made();
        if (std::exchange(before, now) != now || call_in_progress::any()) continue;
        const std::unique_lock lock(device::instance().mutex(), std::try_to_lock);
        if (!lock.owns_lock() || call_in_progress::any()) continue;
        const pages_open here;
        go_on_without_host();
      }
    }).detach();
  } catch (const std::system_error&) {
    // Without this thread, waiting work only continues when the host calls the runtime, as the guide states.
  }
}

/// Resumes work until the host calls the runtime, or until nothing is left that can continue by itself.
void waiting_work::go_on_without_host() {
  const std::uint64_t before = calls_made();
  const auto runs_by_itself = [](const item& one) {
    return one.behind.empty() && one.launch != nullptr && one.launch->launch->still_runs();
  };
  while (!items_.empty() && calls_made() == before) {
    const bool thorough = std::ranges::any_of(items_, runs_by_itself);
    if (!resume(thorough) && !thorough) return;
  }
}

bool waiting_work::relates(const stream_record& stream, const item& to) {
  if (to.stream == stream.id) return true;
  if (to.device != stream.device) return false;
  return timeline::instance().is_legacy(stream) ? to.blocking : to.legacy && stream.blocks();
}

bool waiting_work::is_queued_after(const stream_record& stream) const {
  return std::ranges::any_of(items_, [&](const item& one) { return relates(stream, one); });
}

bool waiting_work::is_over(ticket which) const {
  return std::ranges::none_of(items_, [&](const item& one) { return one.number == which; });
}

waiting_work::item waiting_work::new_item(const stream_record& stream) {
  item made;
  made.number = ++last_;
  made.stream = stream.id;
  made.device = stream.device;
  made.legacy = timeline::instance().is_legacy(stream);
  made.blocking = stream.blocks();
  for (const item& one : items_) {
    if (relates(stream, one)) made.behind.insert(one.number);
  }
  return made;
}

waiting_work::ticket waiting_work::keep(const stream_record& stream, std::function<cudaError_t()> work, ticket behind,
                                        std::string what) {
  item made = new_item(stream);
  made.what = std::move(what);
  if (const call_in_progress* call = call_in_progress::innermost(); call != nullptr && made.what.empty())
    made.what = call->name();
  if (behind != 0 && !is_over(behind)) made.behind.insert(behind);
  made.work = std::move(work);
  items_.push_back(std::move(made));
  return last_;
}

void waiting_work::keep(const stream_record& stream, paused_launch paused) {
  auto kept = std::make_unique<paused_launch>(std::move(paused));
  if (in_hand_ != nullptr) {
    in_hand_->launch = std::move(kept);
    return;
  }
  item made = new_item(stream);
  made.launch = std::move(kept);
  items_.push_back(std::move(made));
  watch_host();
}

/// Executes the rest of one piece of work as far as possible. Returns true if it is over.
bool waiting_work::is_over_now(item& one, bool may_pause) {
  const memory::on_device owner(one.device);
  if (one.work) {
    in_hand_ = &one;
    const std::function<cudaError_t()> work = std::exchange(one.work, nullptr);
    device::instance().remember(work());
    in_hand_ = nullptr;
    return one.launch == nullptr;
  }
  process_memory().devices.run_on(one.device);
  if (!one.launch->launch->resume(may_pause)) return false;
  device::instance().remember(end_launch(*one.launch));
  return true;
}

void waiting_work::remove(std::list<item>::iterator which) {
  const ticket number = which->number;
  items_.erase(which);
  for (item& one : items_) one.behind.erase(number);
}

bool waiting_work::any_can_resume() const {
  return std::ranges::any_of(items_, [](const item& one) {
    return one.behind.empty() && one.launch != nullptr && !one.launch->launch->still_runs() &&
           !one.launch->launch->sees_the_same();
  });
}

bool waiting_work::resume(bool thorough) {
  if (std::exchange(going_on_, true)) return false;
  bool any_change = false;
  for (bool more = true; more && !items_.empty() && !has_faulted();) {
    simt::note_change_from_outside();
    std::uint64_t before = simt::changes_noted();
    more = false;
    for (auto one = items_.begin(); one != items_.end() && !has_faulted();) {
      const auto here = one++;
      if (!here->behind.empty()) continue;
      if (!thorough && here->launch != nullptr && here->launch->launch->sees_the_same()) continue;
      const std::uint64_t then = simt::changes_noted();
      if (!is_over_now(*here, true)) {
        // Its own changes while it polls, such as arrivals at a barrier, don't count as progress. If they change a word
        // that another kernel polls, `any_can_resume` finds it.
        if (here->launch != nullptr && here->launch->launch->still_runs()) before += simt::changes_noted() - then;
        continue;
      }
      one = std::next(here);  // `here` may have been the last item, and others may have been added
      remove(here);
      more = true;
    }
    more = more || simt::changes_noted() != before || any_can_resume();
    any_change = any_change || more;
  }
  // Work that is queued after a fault is never executed.
  if (has_faulted()) items_.clear();
  going_on_ = false;
  return any_change;
}

/// Describes the other waiting kernels, the work queued after this one, and where the host waits.
std::string waiting_work::who_waits_beside(const item& one) const {
  std::string beside, behind, elsewhere;
  std::set<ticket> after{one.number};  // the work that waits for it, directly or indirectly, in order
  for (const item& other : items_) {
    if (&other == &one) continue;
    const bool waits_for_it = std::ranges::any_of(other.behind, [&](ticket t) { return after.count(t) != 0; });
    if (waits_for_it) after.insert(other.number);
    if (other.launch != nullptr)
      beside += fmt::format("{}kernel {} on device {}", beside.empty() ? "" : ", ", other.launch->kernel, other.device);
    else if (waits_for_it && other.stream == one.stream && behind.empty())
      behind = other.what;
    else if (waits_for_it && other.stream != one.stream && elsewhere.empty())
      elsewhere = other.what;
  }
  std::string words;
  if (!beside.empty()) words += " These wait as well: " + beside + ".";
  if (!behind.empty()) words += fmt::format(" After it, in the same stream, waits {}: it cannot begin.", behind);
  if (!elsewhere.empty()) {
    words += fmt::format(
        " In another stream {} has to wait for it, by an event or because one of the two is the default stream: it "
        "cannot begin.",
        elsewhere);
  }
  if (const call_in_progress* call = call_in_progress::innermost())
    words += fmt::format(" The host waits in {}.", call->name());
  return words;
}

/// Called when no work can end the wait any more. A kernel that only waits for time to pass gets this time; otherwise
/// the kernels are ended as a deadlock.
void waiting_work::end_deadlock() {
  for (item& one : items_) {
    if (one.launch != nullptr) one.launch->others_wait = who_waits_beside(one);
  }
  bool told = false;
  for (auto one = items_.begin(); one != items_.end();) {
    const auto here = one++;
    if (here->launch == nullptr) continue;
    if (is_over_now(*here, false)) remove(here);
    told = has_faulted();
    if (!told) return;  // it only waited for time
  }
  if (told) items_.clear();
}

void waiting_work::finish_those(const std::function<bool(const item&)>& concerned) {
  auto until = std::chrono::steady_clock::now() + patience;
  while (!items_.empty()) {
    const bool changed = resume(false) || resume(true);
    if (std::ranges::none_of(items_, concerned)) return;
    if (changed) until = std::chrono::steady_clock::now() + patience;
    if (changed) continue;
    if (has_other_threads() && std::chrono::steady_clock::now() < until)
      let_others_call();
    else
      end_deadlock();
  }
}

void waiting_work::finish_stream(const stream_record& stream) {
  finish_those([&](const item& one) { return relates(stream, one); });
}

void waiting_work::finish_device(int number) {
  finish_those([=](const item& one) { return one.device == number; });
}

void waiting_work::finish(ticket which) {
  finish_those([=](const item& one) { return one.number == which; });
}

void waiting_work::finish_all() {
  finish_those([](const item&) { return true; });
}

}  // namespace emulator::runtime
