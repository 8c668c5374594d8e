#pragma once
/// \file
/// The runtime's rules for refusing launches, and their errors.

#include <cuda_runtime_api.h>

#include <string>

#include "emulator/observers/event.hpp"
#include "emulator/runtime/occupancy.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::runtime {

/// An error and its reason as text; cudaSuccess and an empty string if there is none.
struct verdict {
  cudaError_t error = cudaSuccess;
  std::string words;
  bool empty_grid = false;  ///< A dimension of the grid is 0.
};

/// Returns the maximum number of blocks of a cluster of the kernel.
[[nodiscard]] unsigned max_blocks_of_cluster(const kernel_needs& needs);

/// Checks a launch against the limits of the device and the kernel, and sets the shape's cluster. It is the launch's
/// own or, if it has none, the one that the kernel was compiled for (`__cluster_dims__`) or that its attributes
/// require.
/// \param cluster  of the launch; all 0: none
///
/// cudaErrorInvalidConfiguration: a dimension is 0 or above the device's limit. cudaErrorInvalidValue: more dynamic
/// shared memory than the kernel may use, or more threads than its launch bounds. cudaErrorLaunchOutOfResources: more
/// registers than there are. cudaErrorInvalidClusterSize: clusters that do not divide the grid or are too large.
/// cudaErrorCooperativeLaunchTooLarge: blocks that must run together do not fit.
[[nodiscard]] verdict check_launch(const device_facts& device, const kernel_needs& needs, const dim3& cluster,
                                   simt::launch_shape& shape);

/// Returns the CUDA error that the program gets after a kernel has ended with this fault.
[[nodiscard]] cudaError_t error_of(observers::fault_kind fault);

}  // namespace emulator::runtime
