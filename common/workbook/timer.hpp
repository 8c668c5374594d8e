#pragma once
/// \file
/// Times on a GPU, and what they are times of.

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "workbook/measure.hpp"

namespace workbook {

/// Returns the median, of an even number of values the upper one; NaN of none.
[[nodiscard]] double median(std::vector<double> values);

/// What the GPU has just done, and what its L2 holds, when a timed run begins. Cold and warm runs are queued behind
/// work, so that the GPU never waits for the host.
enum class start {
  cold,  ///< L2 holds clean lines of another array.
  warm,  ///< L2 holds what the run before left there.
  idle   ///< As warm, but the GPU has had nothing to do: the time includes waking it up.
};

/// Says in a few words what a row of that kind is a time of.
[[nodiscard]] std::string_view words_for(start how);

/// Times single runs by events. One holds an array of three times L2 on the device.
class stop_watch {
 public:
  struct sample {
    double microseconds = 0;
    bool queued = false;  ///< The GPU was still held back when the host had queued the whole run.
  };

  /// \throws device_error
  stop_watch();
  ~stop_watch();
  stop_watch(const stop_watch&) = delete;
  stop_watch& operator=(const stop_watch&) = delete;

  /// Runs `run` once; from event to event. Synchronises. \throws device_error
  [[nodiscard]] sample take(const std::function<void()>& run, start how);
  /// As above where `run` waits for the GPU itself, and so cannot be queued: nothing holds the GPU back.
  [[nodiscard]] sample take_waiting(const std::function<void()>& run, start how);
  /// Fills L2 with clean lines of an array of its own. Does not synchronise. \throws device_error
  void make_cold();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Times `run` `repetitions` times after three that do not count. What takes more than a second altogether is timed
/// three times only. Synchronises. \throws device_error
[[nodiscard]] timing time_on_gpu(const std::function<void()>& run, int repetitions, start how);

}  // namespace workbook
