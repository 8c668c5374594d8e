// wrong: the array is read as vectors at misaligned addresses
// killed by: memcheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 8, kernel 41
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::misaligned_vector {

__global__ void reduce_wrong(const int* in, int* partials, std::size_t n) {
  int sum = threadIdx.x == 0 && n > 0 ? in[0] : 0;
  for (std::size_t i = 1 + 4 * std::size_t{threadIdx.x}; i + 3 < n; i += 4 * std::size_t{blockDim.x}) {
    const int4 four = *reinterpret_cast<const int4*>(in + i);  // <- finding
    sum += four.x + four.y + four.z + four.w;
  }
  atomicAdd(partials, sum);
}

inline std::size_t reduce(const int* in, int* partials, std::size_t n, unsigned block_size) {
  cudaMemset(partials, 0, sizeof(int));
  reduce_wrong<<<1, block_size>>>(in, partials, n);
  return 1;
}

}  // namespace wrong::misaligned_vector
