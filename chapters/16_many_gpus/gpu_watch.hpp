#pragma once
/// \file
/// A timeout for work on several GPUs, because kernels that wait for each other wait forever if one GPU has failed.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace chapter16 {

/// Finds out if no new work has begun for a while.
class stillness {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  stillness(std::chrono::milliseconds limit, time_point now) : limit_(limit), since_(now) {}
  /// \param works  the number of pieces of work that have begun so far
  /// \return true if some work has begun, but none within the limit. After that, the time is counted from now.
  [[nodiscard]] bool too_long(unsigned works, time_point now) {
    if (works == seen_ && now - since_ < limit_) return false;
    const bool still = works == seen_ && works != 0;
    seen_ = works;
    since_ = now;
    return still;
  }

 private:
  std::chrono::milliseconds limit_;
  unsigned seen_ = 0;
  time_point since_;
};

/// Checks from a separate thread that work ends. It calls no function before the time limit is reached.
class gpu_watch {
 public:
  struct terms {
    std::chrono::milliseconds limit{60000};     ///< Time without new work while some work has not ended.
    std::chrono::milliseconds look_again{500};  ///< Polling interval.
  };
  /// \param unfinished  returns the work that has not ended, such as "GPU 1", or nothing if all has ended
  /// \param give_up     is called with a sentence about unfinished work; usually it does not return
  gpu_watch(terms when, std::function<std::optional<std::string>()> unfinished,
            std::function<void(const std::string&)> give_up);

  /// Restarts the clock, because the GPUs have been given new work. It is as cheap as adding to a number.
  void begun() { works_.fetch_add(1, std::memory_order_relaxed); }

 private:
  void run(const std::stop_token& stop);

  terms when_;
  std::function<std::optional<std::string>()> unfinished_;
  std::function<void(const std::string&)> give_up_;
  std::atomic<unsigned> works_{0};
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // the last member, because it uses the others
};

/// Prints the program's name and the sentence, and ends the process with the status of a failed device.
[[noreturn]] void end_unfinished(const std::string& why);

}  // namespace chapter16
