#pragma once
/// \file
/// The part of a programmatic dependent launch that is inside the kernel.

namespace workbook {

/// Lets the next kernel of the stream begin when all blocks of this one have called this function. Waits until the
/// previous kernel has ended and its writes are visible. All threads must call it. Does nothing in other launches, or
/// before compute capability 9.0.
__device__ inline void trigger_and_wait_dependents() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // The same as cudaTriggerProgrammaticLaunchCompletion() and cudaGridDependencySynchronize().
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace workbook
