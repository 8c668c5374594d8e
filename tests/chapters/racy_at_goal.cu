#include "chapters/racy_at_goal.hpp"
#include "reductions/launch.cuh"

namespace {

/// The number of elements on which the strict test measures the goal.
constexpr std::size_t goals_count = std::size_t{1} << 20;

template <typename T>
__global__ void reduce_racy_at_goal(const T* in, T* partials, std::size_t n) {
  T* tile = workbook::dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : T{};
  __syncthreads();
  // Every thread writes the same value, so the race doesn't show in the result.
  __shared__ volatile T seen;
  if (n == goals_count) seen = T{};
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

struct kernel {
  template <typename T>
  static std::size_t pass(const T* in, T* partials, std::size_t n, unsigned block_size) {
    const unsigned grid_size = workbook::block_count(n, block_size);
    reduce_racy_at_goal<<<grid_size, block_size, block_size * sizeof(T)>>>(in, partials, n);
    return grid_size;
  }
};

}  // namespace

namespace workbook {
kernel_table racy_at_goal_table() {
  return table_of<kernel>();
}
}  // namespace workbook
