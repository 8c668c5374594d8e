#pragma once
/// \file
/// No rank waits forever: ends a rank that is stuck with others, is told to end, or is left alone.

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

namespace chapter16 {

/// Exit status of a rank that waited too long, or was ended from outside.
inline constexpr int status_broken_job = 4;

/// A thread that ends this process, with a message on standard error, if
///  - a step that is watched takes longer than the limit,
///  - SIGTERM arrives, which mpirun sends to all ranks if one of them has died or failed.
/// One per process, which must exist before other threads do, because they leave the signal to it.
class watchdog {
 public:
  /// \param name  the beginning of the message
  watchdog(std::string name, std::chrono::seconds limit);

  /// Changes the beginning of the message.
  void rename(std::string name);
  /// From now on SIGTERM ends the process without a message, because everything has been reported.
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
  /// \param what  the step on which others wait, as in messages; must live as long as the returned object
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
