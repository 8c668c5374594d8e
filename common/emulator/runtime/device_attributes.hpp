#pragma once
/// \file
/// The facts of a device in the forms in which a program can query them.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

#include "emulator/runtime/device_facts.hpp"

namespace emulator::runtime {

/// Returns an attribute of the device, or nothing if the emulator does not know it.
[[nodiscard]] std::optional<int> attribute_of(const device_facts& device, cudaDeviceAttr attribute);

/// Returns the properties of the device. Those that the emulator does not know (textures, PCI) are 0.
[[nodiscard]] cudaDeviceProp properties_of(const device_facts& device, std::uint64_t memory_bytes);

}  // namespace emulator::runtime
