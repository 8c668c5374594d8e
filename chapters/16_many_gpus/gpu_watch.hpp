#pragma once
/// \file
/// A timeout for work of several GPUs: kernels that wait for each other wait forever if one GPU has failed.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace chapter16 {

/// Measures for how long no new work has begun.
class stillness {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  stillness(std::chrono::milliseconds limit, time_point now) : limit_(limit), since_(now) {}
  /// \param works  how many works have begun so far
  /// \return true if some have begun, but none within the limit; then the time starts again
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

/// Checks from a thread of its own whether work ends. It calls nothing before the time is over.
class gpu_watch {
 public:
  struct terms {
    std::chrono::milliseconds limit{60000};     ///< Time without new work while some work has not ended.
    std::chrono::milliseconds look_again{500};  ///< Polling interval.
  };
  /// \param unfinished  returns what has not ended, such as "GPU 1"; nothing if all has
  /// \param give_up     is called with a sentence about it; usually it does not return
  gpu_watch(terms when, std::function<std::optional<std::string>()> unfinished,
            std::function<void(const std::string&)> give_up);

  /// Restarts the clock, because new work has been given to the GPUs. Costs as much as adding to a number.
  void begun() { works_.fetch_add(1, std::memory_order_relaxed); }

 private:
  void run(const std::stop_token& stop);

  terms when_;
  std::function<std::optional<std::string>()> unfinished_;
  std::function<void(const std::string&)> give_up_;
  std::atomic<unsigned> works_{0};
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // at the end: it uses all of the above
};

/// Prints the sentence after the program's name, and ends the process with the status of a failed device.
[[noreturn]] void end_unfinished(const std::string& why);

}  // namespace chapter16
