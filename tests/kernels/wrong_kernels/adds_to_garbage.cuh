// wrong: the sum is added to a word that was never initialised
// killed by: initcheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 0, kernel 6
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::adds_to_garbage {

__global__ void reduce_wrong(const int* in, int* partials, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(partials, in[i]);  // <- finding
}

inline std::size_t reduce(const int* in, int* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_wrong<<<grid_size, block_size>>>(in, partials, n);
  return 1;
}

}  // namespace wrong::adds_to_garbage
