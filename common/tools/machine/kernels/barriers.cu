// Barriers of a block, one after the other.

#include "tools/machine/kernels/clocked.hpp"
#include "tools/machine/kernels/rounds.cuh"

namespace workbook::machine {
namespace {

constexpr unsigned unrolled = 16;

__global__ void time_barriers(long long* cycles, unsigned* values, unsigned repetitions) {
  const long long taken = cycles_of_second([&] {
#pragma unroll 1
    for (unsigned k = 0; k < repetitions; ++k) {
#pragma unroll
      // Nothing to separate: the barrier is what is measured.
      for (unsigned j = 0; j < unrolled; ++j) __syncthreads();
    }
  });
  values[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) *cycles = taken;
}

}  // namespace

clocked_kernel barriers(unsigned warps) {
  return {.name = "__syncthreads",
          .kernel = reinterpret_cast<const void*>(&time_barriers),
          .steps = unrolled,
          .threads = 32 * warps};
}

}  // namespace workbook::machine
