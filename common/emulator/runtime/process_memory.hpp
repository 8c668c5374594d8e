#pragma once
/// \file
/// The device memory that the calls of the runtime are about.

#include "emulator/memory/address_space.hpp"
#include "emulator/only_one.hpp"

namespace emulator::runtime {

/// Returns the device memory of the process: CUDA's calls name none, so there is one.
[[nodiscard]] inline memory::address_space& process_memory() {
  return only_one<memory::address_space>();
}

}  // namespace emulator::runtime
