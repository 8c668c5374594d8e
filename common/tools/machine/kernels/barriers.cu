// Barriers of a block, one after the other.

#include "tools/machine/kernels/clocked.hpp"

namespace workbook::machine {
namespace {

constexpr unsigned unrolled = 16;

__global__ void time_barriers(long long* cycles, unsigned* values, unsigned repetitions) {
  long long begin = 0, end = 0;
  // The first round fills the instruction cache.
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    // The block begins together.
    __syncthreads();
    begin = clock64();
#pragma unroll 1
    for (unsigned k = 0; k < repetitions; ++k) {
#pragma unroll
      // Nothing to separate: the barrier is what is measured.
      for (unsigned j = 0; j < unrolled; ++j) __syncthreads();
    }
    end = clock64();
  }
  values[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) *cycles = end - begin;
}

}  // namespace

clocked_kernel barriers(unsigned warps) {
  return {.name = "__syncthreads",
          .kernel = reinterpret_cast<const void*>(&time_barriers),
          .steps = unrolled,
          .threads = 32 * warps};
}

}  // namespace workbook::machine
