// wrong: no barrier between the thread that takes the ticket and those that read what it got
// killed by: racecheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 12, kernel 45
#include <cstddef>

#include "reductions/block_reduce.cuh"
#include "reductions/launch.cuh"

namespace wrong::last_block_unannounced {

__device__ unsigned ticket;

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  __shared__ bool last;
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  T sum = workbook::block_reduce(i < n ? in[i] : T{}, workbook::plus{});
  if (tid == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  if (last) {  // <- finding
    sum = T{};
    for (unsigned k = tid; k < gridDim.x; k += blockDim.x) sum += partials[k];
    sum = workbook::block_reduce(sum, workbook::plus{});
    if (tid == 0) partials[0] = sum;
  }
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  reduce_wrong<<<workbook::block_count(n, block_size), block_size>>>(in, partials, n);
  return 1;
}

}  // namespace wrong::last_block_unannounced
