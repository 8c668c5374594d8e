#include "tools/machine/kernels/atomics.hpp"

#include "device/buffer.hpp"

namespace workbook::machine {
namespace {

/// The steps are parameters: where the compiler knew that a warp has one word, it would add once per warp.
template <typename T>
__global__ void add(T* words, atomic_pattern where, unsigned additions) {
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (lane >= where.adding_lanes) return;
  T* const word = words + std::size_t{warp} * where.warp_step + lane * where.lane_step;
#pragma unroll 4
  for (unsigned k = 0; k < additions; ++k) atomicAdd(word, T{1});
}

template <typename T>
void launch_add(T* words, atomic_pattern where, unsigned additions, unsigned grid_size, unsigned block_size) {
  add<T><<<grid_size, block_size>>>(words, where, additions);
  check(cudaGetLastError());
}

}  // namespace

void add_ints(int* words, atomic_pattern where, unsigned additions, unsigned grid_size, unsigned block_size) {
  launch_add(words, where, additions, grid_size, block_size);
}

void add_floats(float* words, atomic_pattern where, unsigned additions, unsigned grid_size, unsigned block_size) {
  launch_add(words, where, additions, grid_size, block_size);
}

}  // namespace workbook::machine
