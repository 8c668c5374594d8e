#pragma once
/// \file
/// A kernel launch on the emulated device, from the API call to the report.

#include "emulator/runtime/device.hpp"
#include "emulator/runtime/registry.hpp"

namespace emulator::runtime {

struct launch_request {
  const void* function = nullptr;  ///< Host stub or kernel handle.
  dim3 grid;
  dim3 block;
  void** arguments = nullptr;  ///< One pointer a parameter.
  std::size_t dynamic_shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
};

/// Runs a kernel to its end. A fault of the kernel itself is not this call's error: it becomes the device's sticky
/// error, which the next call returns, as with the real runtime. \return why the kernel was not run at all; cudaSuccess
/// where it was
[[nodiscard]] cudaError_t launch_on_emulator(const launch_request& request);

}  // namespace emulator::runtime
