#pragma once
/// \file
/// Programmatic dependent launch: a kernel may begin before the previous one in its stream has ended.

#include <cuda_runtime_api.h>

#include "reductions/buffer.hpp"

namespace workbook {

/// Returns true if `kernel`, as compiled for the current GPU, contains the two instructions of dependent_launch.cuh.
/// \throws device_error
[[nodiscard]] inline bool can_begin_early(const void* kernel) {
  cudaFuncAttributes compiled{};
  check(cudaFuncGetAttributes(&compiled, kernel));
  // A GPU does not run code that was compiled for newer GPUs, so it supports these instructions.
  return compiled.ptxVersion >= 90;
}

/// Launches a kernel on the current GPU, without dynamic shared memory. Does not synchronise.
/// \param early  lets it begin before the previous kernel has ended; only allowed if `can_begin_early` returns true
/// \throws device_error
inline void launch_kernel(const void* kernel, dim3 grid, dim3 block, void** arguments, cudaStream_t stream,
                          bool early) {
  cudaLaunchAttribute dependent{};
  dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  dependent.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  config.attrs = &dependent;
  config.numAttrs = early ? 1 : 0;
  check(cudaLaunchKernelExC(&config, kernel, arguments));
}

}  // namespace workbook
