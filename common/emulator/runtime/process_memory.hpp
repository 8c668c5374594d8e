#pragma once
/// \file
/// The device memory that runtime calls use.

#include "emulator/memory/address_space.hpp"
#include "emulator/singleton.hpp"

namespace emulator::runtime {

/// Returns the device memory of the process. There is only one, because CUDA's calls don't name a memory.
[[nodiscard]] inline memory::address_space& process_memory() {
  return singleton<memory::address_space>();
}

}  // namespace emulator::runtime
