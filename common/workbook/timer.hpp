#pragma once
/// \file
/// Measures times on a GPU.

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "workbook/measure.hpp"

namespace workbook {

/// Returns the median: the upper of the two middle values if their number is even, and NaN if there are none.
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

/// Times single runs with events. Each instance allocates an array on the device, three times as large as L2.
class stop_watch {
 public:
  struct sample {
    double microseconds = 0;
    bool queued = false;  ///< True if the GPU was still blocked when the host had queued the whole run.
  };

  /// \throws device_error
  stop_watch();
  ~stop_watch();
  stop_watch(const stop_watch&) = delete;
  stop_watch& operator=(const stop_watch&) = delete;

  /// Calls `run` once and returns the time from event to event. Synchronises. \throws device_error
  [[nodiscard]] sample take(const std::function<void()>& run, start how);
  /// As above, but doesn't block the GPU: for a `run` that waits for the GPU itself and so cannot be queued.
  [[nodiscard]] sample take_waiting(const std::function<void()>& run, start how);
  /// Fills L2 with clean lines of the instance's array. Does not synchronise. \throws device_error
  void make_cold();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Times `repetitions` calls of `run`, after three warm-up calls that aren't timed. If the total exceeds a second,
/// stops as soon as there are three times. Synchronises. \throws device_error
[[nodiscard]] timing time_on_gpu(const std::function<void()>& run, int repetitions, start how);

}  // namespace workbook
