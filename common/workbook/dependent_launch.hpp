#pragma once
/// \file
/// Programmatic dependent launch: a kernel may begin before the one in front of it in its stream has ended.

#include <cuda_runtime_api.h>

#include "device/buffer.hpp"

namespace workbook {

/// Says whether `kernel`, as compiled for the current GPU, has the two instructions of dependent_launch.cuh.
/// \throws device_error
[[nodiscard]] inline bool can_begin_early(const void* kernel) {
  cudaFuncAttributes compiled{};
  check(cudaFuncGetAttributes(&compiled, kernel));
  // A GPU runs no code that was compiled for newer ones: it knows them, too.
  return compiled.ptxVersion >= 90;
}

/// Launches on the current GPU, without dynamic shared memory. Does not synchronise.
/// \param early  whether it may begin before the last one has ended: to be true only where it `can_begin_early`
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
