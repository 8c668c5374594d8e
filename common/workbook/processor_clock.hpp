#pragma once
/// \file
/// A clock that stands still while others have the machine.

#include <chrono>
#include <ctime>

namespace workbook {

/// Processor time of this process, all its threads together: what is looked for until a moment of this clock comes out
/// alike on a busy machine. A TrivialClock of the C++ library, of microseconds.
struct processor_clock {
  using duration = std::chrono::microseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<processor_clock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept {
    return time_point(duration(static_cast<rep>(std::clock()) * (1'000'000 / CLOCKS_PER_SEC)));
  }
};

}  // namespace workbook
