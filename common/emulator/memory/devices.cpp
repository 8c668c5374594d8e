#include "emulator/memory/devices.hpp"

namespace emulator::memory {
namespace {
thread_local int chosen = 0;
}

int devices::current() {
  return chosen;
}
void devices::choose(int number) {
  chosen = number;
}

}  // namespace emulator::memory
