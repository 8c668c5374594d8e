#include "emulator/memory/devices.hpp"

namespace emulator::memory {
namespace {
thread_local int chosen = 0;
}

void devices::set(int count, bool peers) {
  count_ = count;
  peers_ = peers;
}

int devices::current() {
  return chosen;
}
void devices::choose(int number) {
  chosen = number;
}

void devices::forget_access(int number) {
  for (int other = 0; other < most_devices; ++other) {
    access_[number][other] = false;
    access_[other][number] = false;
  }
}

}  // namespace emulator::memory
