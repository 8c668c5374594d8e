#pragma once
/// \file
/// Nobody waits for ever: what ends a rank that is stuck with others, is told to end, or is left alone.

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

namespace chapter16 {

/// Exit status of a rank that waited too long, or was ended from outside.
inline constexpr int status_broken_job = 4;

/// A thread that ends this process, with words on standard error, where
///  - a step that is watched takes longer than the limit,
///  - SIGTERM comes, which mpirun sends to all ranks where one of them has died or failed.
/// One for a process, made before other threads are: those shall leave the signal to it.
class watchdog {
 public:
  /// \param name  what the words begin with
  watchdog(std::string name, std::chrono::seconds limit);

  /// What the words begin with from now on.
  void rename(std::string name);
  /// From now on SIGTERM ends the process without words: everything has been said.
  void be_quiet() { quiet_ = true; }

  /// Watches for as long as it lives.
  class step {
   public:
    step(watchdog& by, const char* what);
    ~step();
    step(const step&) = delete;
    step& operator=(const step&) = delete;

   private:
    watchdog& by_;
  };
  /// \param what  what others are waited for with, as the words have it; lives as long as the step
  [[nodiscard]] step watch(const char* what) { return {*this, what}; }

 private:
  using clock = std::chrono::steady_clock;
  void run(const std::stop_token& stop);
  [[noreturn]] void end(const std::string& why);

  std::mutex naming_;
  std::string name_;
  const std::chrono::seconds limit_;
  std::atomic<bool> quiet_ = false;
  std::atomic<const char*> what_ = nullptr;
  std::atomic<clock::rep> deadline_ = 0;
  std::jthread thread_;  ///< The last: it ends first.
};

}  // namespace chapter16
