#pragma once
/// \file
/// Times on a GPU.

#include <functional>

#include "workbook/measure.hpp"

namespace workbook {

/// Times `run` with CUDA events, `repetitions` times after three that do not count; where `cold`, L2 is flushed before
/// each. What takes more than a second altogether is timed three times only. Synchronises. \throws device_error
[[nodiscard]] timing time_on_gpu(const std::function<void()>& run, int repetitions, bool cold);

}  // namespace workbook
