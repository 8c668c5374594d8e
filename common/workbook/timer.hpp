#pragma once
/// \file
/// Measures times on a GPU.

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "workbook/measure.hpp"

namespace workbook {

/// Returns the median, which is the upper one for an even number of values; NaN for no values.
[[nodiscard]] double median(std::vector<double> values);

/// The state of the GPU and its L2 when a timed run begins. Cold and warm runs are queued after other work, so that the
/// GPU never waits for the host.
enum class start {
  cold,  ///< L2 holds clean lines of another array.
  warm,  ///< L2 holds the data of the previous run.
  idle   ///< As warm, but the GPU has been idle, so the time includes waking it up.
};

/// Returns a short description of what such a time measures.
[[nodiscard]] std::string_view words_for(start how);

/// Times single runs with events. Each instance allocates an array of three times the size of L2 on the device.
class stop_watch {
 public:
  struct sample {
    double microseconds = 0;
    bool queued = false;  ///< The GPU was still blocked when the host had queued the whole run.
  };

  /// \throws device_error
  stop_watch();
  ~stop_watch();
  stop_watch(const stop_watch&) = delete;
  stop_watch& operator=(const stop_watch&) = delete;

  /// Runs `run` once and returns the time from event to event. Synchronises. \throws device_error
  [[nodiscard]] sample take(const std::function<void()>& run, start how);
  /// As above, for a `run` that itself waits for the GPU and so cannot be queued: the GPU is not blocked.
  [[nodiscard]] sample take_waiting(const std::function<void()>& run, start how);
  /// Fills L2 with clean lines of the instance's array. Does not synchronise. \throws device_error
  void make_cold();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Times `repetitions` calls of `run`, after three warm-up calls that do not count. After a total of more than a
/// second, it stops as soon as there are three times. Synchronises. \throws device_error
[[nodiscard]] timing time_on_gpu(const std::function<void()>& run, int repetitions, start how);

}  // namespace workbook
