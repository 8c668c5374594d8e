#include "emulator/runtime/environment.hpp"

namespace emulator::runtime {

void report_at_exit() {
  static_cast<void>(environment::instance());
}

}  // namespace emulator::runtime
