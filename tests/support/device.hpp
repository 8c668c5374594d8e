#pragma once
/// \file
/// The device on which the tests run: the emulator, or a real GPU if the environment has WORKBOOK_TEST_DEVICE=gpu. The
/// GPU is only for tests that expect the same of both.

#include <cstdlib>
#include <string>

#include "emulator/emulator.hpp"

[[nodiscard]] inline bool testing_gpu() {
  const char* wanted = std::getenv("WORKBOOK_TEST_DEVICE");
  return wanted != nullptr && std::string(wanted) == "gpu";
}

/// Selects the device to test. Returns true if it is a GPU, on which nothing is counted or checked.
inline bool select_tested_device() {
  emulator::select_device(testing_gpu() ? emulator::device_kind::gpu : emulator::device_kind::emulator);
  return testing_gpu();
}
