#pragma once
/// \file
/// Makes sure that no rank waits forever: ends a rank that is stuck, is told to end, or is left alone by the others.

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

namespace chapter16 {

/// Exit status of a rank that waited too long, or was ended by the launcher.
inline constexpr int status_broken_job = 4;

/// A thread that ends this process, with a message on standard error, if
///  - a step that is watched takes longer than the limit,
///  - SIGTERM arrives, which mpirun sends to all ranks if one of them has died or failed.
/// There is one per process. It must exist before any other threads, because they leave the signal to it.
class watchdog {
 public:
  /// \param name  the beginning of the message
  watchdog(std::string name, std::chrono::seconds limit);

  /// Changes the beginning of the message.
  void rename(std::string name);
  /// After this call, SIGTERM ends the process without a message, because everything has been reported.
  void be_quiet() { quiet_ = true; }

  /// The watchdog watches a step for as long as this object exists.
  class step {
   public:
    step(watchdog& by, const char* what);
    ~step();
    step(const step&) = delete;
    step& operator=(const step&) = delete;

   private:
    watchdog& by_;
  };
  /// \param what  the step that others wait for, as in messages; must outlive the returned object
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
  std::jthread thread_;  ///< The last member, so that it ends first.
};

}  // namespace chapter16
