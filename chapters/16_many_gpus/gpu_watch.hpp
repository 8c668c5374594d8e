#pragma once
/// \file
/// A clock for work of several GPUs: kernels that wait for each other wait for ever where one GPU has failed.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace chapter16 {

/// For how long nothing new has begun.
class stillness {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  stillness(std::chrono::milliseconds limit, time_point now) : limit_(limit), since_(now) {}
  /// \param works  how many have begun so far
  /// \return whether some have, and none within the limit; then it begins anew
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

/// Looks, from a thread of its own, whether work comes to its end. It asks nobody anything before the time is over.
class gpu_watch {
 public:
  struct terms {
    std::chrono::milliseconds limit{60000};     ///< Without new work, and with some that has not ended.
    std::chrono::milliseconds look_again{500};  ///< How exactly.
  };
  /// \param unfinished  says who has not ended, as "GPU 1"; nothing where all have
  /// \param give_up     gets a sentence that says so; usually it does not return
  gpu_watch(terms when, std::function<std::optional<std::string>()> unfinished,
            std::function<void(const std::string&)> give_up);

  /// New work has been given to the GPUs: the clock begins anew. Costs as much as adding to a number.
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

/// Prints the sentence behind the program's name, and ends the process with the status of a device that failed.
[[noreturn]] void end_unfinished(const std::string& why);

}  // namespace chapter16
