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

}  // namespace

template <typename T>
void add_to_words(T* words, atomic_pattern where, unsigned additions, unsigned grid_size, unsigned block_size) {
  add<T><<<grid_size, block_size>>>(words, where, additions);
  check(cudaGetLastError());
}
template void add_to_words(int*, atomic_pattern, unsigned, unsigned, unsigned);
template void add_to_words(float*, atomic_pattern, unsigned, unsigned, unsigned);

}  // namespace workbook::machine
