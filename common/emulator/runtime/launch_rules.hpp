#pragma once
/// \file
/// Which launches the runtime refuses, and with which error.

#include <cuda_runtime_api.h>

#include <string>

#include "emulator/observers/event.hpp"
#include "emulator/runtime/occupancy.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::runtime {

/// An error and the reason in words; cudaSuccess and no words where all is well.
struct verdict {
  cudaError_t error = cudaSuccess;
  std::string words;
  bool empty_grid = false;  ///< A dimension of the grid is 0.
};

/// Returns how many blocks a cluster of the kernel may have.
[[nodiscard]] unsigned most_blocks_of_cluster(const kernel_needs& needs);

/// Checks a launch against the device and the kernel, and sets the shape's cluster: what the launch asks for, else what
/// the kernel has been made for (`__cluster_dims__`), or told to require.
/// \param cluster  that the launch asks for; all 0: none
///
/// cudaErrorInvalidConfiguration: a dimension is 0 or above the device's limit. cudaErrorInvalidValue: more dynamic
/// shared memory than the kernel may use, or more threads than its launch bounds. cudaErrorLaunchOutOfResources: more
/// registers than there are. cudaErrorInvalidClusterSize: clusters that do not divide the grid, or are too large.
/// cudaErrorCooperativeLaunchTooLarge: blocks that must run together do not fit.
[[nodiscard]] verdict check_launch(const device_facts& device, const kernel_needs& needs, const dim3& cluster,
                                   simt::launch_shape& shape);

/// Returns the CUDA error that a program sees after a kernel ended that way.
[[nodiscard]] cudaError_t error_of(observers::fault_kind fault);

}  // namespace emulator::runtime
