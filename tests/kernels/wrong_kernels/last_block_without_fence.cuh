// wrong: the last block reads what the others have written, but no fence orders their writes before the ticket
// killed by: racecheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 12, kernel 46
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::last_block_without_fence {

__device__ unsigned tickets;

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  __shared__ bool last;
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : T{};
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();
  }
  if (tid == 0) {
    partials[blockIdx.x] = tile[0];
    last = atomicAdd(&tickets, 1u) + 1 == gridDim.x;
  }
  __syncthreads();
  if (last && tid == 0) {
    T sum{};
    for (unsigned k = 0; k < gridDim.x; ++k) sum += partials[k];  // <- finding
    partials[0] = sum;
    tickets = 0;
  }
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const unsigned grid_size = workbook::block_count(n, block_size);
  reduce_wrong<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
  return 1;
}

}  // namespace wrong::last_block_without_fence
