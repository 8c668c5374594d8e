#pragma once
/// \file
/// The kernel's part of a programmatic dependent launch.

namespace workbook {

/// Lets the next kernel of the stream begin as soon as all blocks of this one have come here, and waits until the last
/// one has ended and all can see what it has written. All threads call it. Does nothing in a launch that is not a
/// dependent one, and before compute capability 9.0.
__device__ inline void let_the_next_begin_and_wait_for_the_last() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // What cudaTriggerProgrammaticLaunchCompletion() and cudaGridDependencySynchronize() are.
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace workbook
