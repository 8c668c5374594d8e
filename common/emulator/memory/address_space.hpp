#pragma once
/// \file
/// The device memory of a machine.

#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/memory/textures.hpp"

namespace emulator::memory {

/// State that kernels, observers and runtime calls share. A process has one (runtime/process_memory.hpp); a test can
/// have several.
struct address_space {
  device_table devices;
  global_memory memory{devices};
  texture_objects textures;
};

}  // namespace emulator::memory
