#pragma once
/// \file
/// From what a program registered to what the interpreter runs: fat binaries are read and PTX is parsed when a kernel
/// or variable of it is first needed.

#include <cuda_runtime_api.h>

#include <string>

#include "emulator/runtime/occupancy.hpp"
#include "emulator/runtime/registry.hpp"

namespace emulator::runtime {

/// What is on the emulated device; null, with the error and its reason in words, where that cannot be.
template <typename T>
struct loaded {
  T* what = nullptr;
  cudaError_t error = cudaSuccess;
  std::string why_not = {};
};

/// Returns the module on the emulated device, and brings it there where that has not been done yet.
[[nodiscard]] loaded<simt::module> load_module(module_record& which);

/// Returns the kernel on the emulated device.
[[nodiscard]] loaded<simt::kernel> load_kernel(function_record& which);

/// Returns where a variable stands in the emulated device's memory.
[[nodiscard]] loaded<const simt::placed_variable> load_variable(variable_record& which);

/// Returns what a kernel takes; decodes it if need be. \throws simt::unsupported, ptx::parse_error
[[nodiscard]] kernel_needs needs_of(const function_record& function, simt::kernel& kernel);

/// Writes the addresses of the module's managed variables where the host looks for them.
[[nodiscard]] cudaError_t place_managed_variables(module_record& which);

void unload_all_modules();
/// The same for the current device alone.
void unload_modules_of_device();

/// After a reset: gives managed variables a place again where the host has used them, for it will not ask again.
void replace_managed_variables();

}  // namespace emulator::runtime
