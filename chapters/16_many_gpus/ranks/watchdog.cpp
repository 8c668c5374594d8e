#include "16_many_gpus/ranks/watchdog.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

#include <fmt/format.h>

namespace chapter16 {
namespace {

constexpr long look_again_ns = 50'000'000;

/// Blocks SIGTERM in this thread and in all threads that it will start. Returns the set that contains SIGTERM.
sigset_t take_termination() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return set;
}

}  // namespace

watchdog::watchdog(std::string name, std::chrono::seconds limit) : name_(std::move(name)), limit_(limit) {
  (void)take_termination();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void watchdog::rename(std::string name) {
  const std::scoped_lock alone(naming_);
  name_ = std::move(name);
}

watchdog::step::step(watchdog& by, const char* what) : by_(by) {
  by_.deadline_ = (clock::now() + by_.limit_).time_since_epoch().count();
  by_.what_ = what;
}

watchdog::step::~step() {
  by_.what_ = nullptr;
}

void watchdog::run(const std::stop_token& stop) {
  const sigset_t termination = take_termination();
  const timespec pause{0, look_again_ns};
  while (!stop.stop_requested()) {
    const bool told_to_end = sigtimedwait(&termination, nullptr, &pause) == SIGTERM;
    const char* const what = what_;
    const std::string at = what == nullptr ? "while this rank worked" : fmt::format("while this rank waited: {}", what);
    if (told_to_end && quiet_) std::_Exit(status_broken_job);
    if (told_to_end) end(fmt::format("told to end {}: another rank has died or failed, or the job was ended", at));
    if (what != nullptr && clock::now().time_since_epoch().count() > deadline_)
      end(
          fmt::format("waited {} s for the other ranks: {}. One of them is stuck, or has more to do: --timeout lets "
                      "this rank wait longer",
                      limit_.count(), what));
  }
}

void watchdog::end(const std::string& why) {
  const std::scoped_lock alone(naming_);
  fmt::print(stderr, "{}: {}.\n", name_, why);
  std::fflush(stderr);
  // Other threads may be doing anything, for example calling MPI, so nothing can be cleaned up any more.
  std::_Exit(status_broken_job);
}

}  // namespace chapter16
