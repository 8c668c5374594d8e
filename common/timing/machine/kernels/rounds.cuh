#pragma once
/// \file
/// The work of a block between two readings of the multiprocessor's clock.

namespace workbook::machine {

/// Calls `body` twice; the first call fills the instruction cache. All threads of the block must call it: they begin
/// together, and end when the last warp does. Returns the cycles of the second call, as this thread sees them.
template <typename Body>
__device__ long long cycles_of_second(Body body) {
  long long begin = 0, end = 0;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    // The warps begin together, independently of what they have done before.
    __syncthreads();
    begin = clock64();
    body();
    // All warps are done.
    __syncthreads();
    end = clock64();
  }
  return end - begin;
}

}  // namespace workbook::machine
