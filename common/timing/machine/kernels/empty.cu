#include "timing/machine/kernels/empty.hpp"

#include "workbook/dependent_launch.cuh"

namespace workbook::machine {
namespace {

__global__ void do_nothing() {}

__global__ void meet() {
  // The barrier separates nothing; its time is measured.
  __syncthreads();
}

__global__ void hand_over() {
  trigger_and_wait_dependents();
}

/// Keeps `Kept` values in registers. Each iteration of the loop needs all of them.
// 256: the number of threads in the blocks that are launched, which leaves 255 registers for each of them.
template <unsigned Kept>
__global__ void __launch_bounds__(256) keep_values(unsigned never, unsigned* values) {
  if (never == 0) return;
  unsigned kept[Kept];
#pragma unroll
  for (unsigned k = 0; k < Kept; ++k) kept[k] = values[k * 256 + threadIdx.x];
#pragma unroll 1
  for (unsigned round = 0; round < never; ++round) {
#pragma unroll
    for (unsigned k = 0; k < Kept; ++k) kept[k] = kept[k] * kept[(k + 1) % Kept] + round;
  }
#pragma unroll
  for (unsigned k = 0; k < Kept; ++k) values[k * 256 + threadIdx.x] = kept[k];
}

}  // namespace

const void* const empty_kernel = reinterpret_cast<const void*>(&do_nothing);
const void* const barrier_kernel = reinterpret_cast<const void*>(&meet);
const void* const handing_over_kernel = reinterpret_cast<const void*>(&hand_over);

std::vector<const void*> kernels_with_registers() {
  return {reinterpret_cast<const void*>(&keep_values<1>), reinterpret_cast<const void*>(&keep_values<24>),
          reinterpret_cast<const void*>(&keep_values<56>), reinterpret_cast<const void*>(&keep_values<118>),
          reinterpret_cast<const void*>(&keep_values<244>)};
}

}  // namespace workbook::machine
