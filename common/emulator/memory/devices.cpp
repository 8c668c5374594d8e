#include "emulator/memory/devices.hpp"

namespace emulator::memory {
namespace {
thread_local int chosen = 0;
}

int current_device() {
  return chosen;
}
void choose_device(int number) {
  chosen = number;
}

}  // namespace emulator::memory
