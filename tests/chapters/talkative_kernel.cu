#include <cstdio>

#include "chapters/talkative_kernel.hpp"
#include "reductions/launch.cuh"

namespace {

template <typename T>
__global__ void reduce_talkative(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : T{};
  // Every tile is complete before any thread reads a neighbour's element.
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    // This step's sums are written before the next step reads them.
    __syncthreads();
  }
  printf("thread %u of block %u\n", tid, blockIdx.x);
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

struct kernel {
  template <typename T>
  static std::size_t pass(const T* in, T* partials, std::size_t n, unsigned block_size) {
    const std::size_t grid_size = n == 0 ? 1 : (n + block_size - 1) / block_size;
    std::printf("{\"this\": is no JSON \xff\n");
    reduce_talkative<<<static_cast<unsigned>(grid_size), block_size, block_size * sizeof(T)>>>(in, partials, n);
    return grid_size;
  }
};

}  // namespace

namespace workbook {
kernel_table talkative_table() {
  return table_of<kernel>();
}
}  // namespace workbook
