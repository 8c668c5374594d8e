#pragma once
/// \file
/// Loads registered code for the interpreter. Fat binaries are read and PTX is parsed when a kernel or variable in them
/// is first needed.

#include <cuda_runtime_api.h>

#include <string>

#include "emulator/runtime/occupancy.hpp"
#include "emulator/runtime/registry.hpp"

namespace emulator::runtime {

/// An object on the emulated device. If it cannot be loaded, it is null, with an error and the reason as text.
template <typename T>
struct loaded {
  T* what = nullptr;
  cudaError_t error = cudaSuccess;
  std::string why_not = {};
};

/// Returns the module on the emulated device, and loads it if that hasn't been done yet.
[[nodiscard]] loaded<simt::module> load_module(module_record& which);

/// Returns the kernel on the emulated device.
[[nodiscard]] loaded<simt::kernel> load_kernel(function_record& which);

/// Returns the place of a variable in the emulated device's memory.
[[nodiscard]] loaded<const simt::placed_variable> load_variable(variable_record& which);

/// Returns the resources that a kernel needs, and decodes the kernel if necessary. \throws simt::unsupported,
/// ptx::parse_error
[[nodiscard]] kernel_needs needs_of(const function_record& function, simt::kernel& kernel);

/// Stores the addresses of the module's managed variables in the pointers that the host code uses.
[[nodiscard]] cudaError_t place_managed_variables(module_record& which);

void unload_all_modules();
/// The same for the current device only.
void unload_modules_of_device();

/// After a reset: places managed variables again if the host has used them, because it won't ask for their addresses
/// again.
void replace_managed_variables();

}  // namespace emulator::runtime
