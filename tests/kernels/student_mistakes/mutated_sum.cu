#include "kernels/student_mistakes/mutated_sum.hpp"

#include "reductions/launch.cuh"

namespace mutated {
namespace {

__device__ int combined(int own, int partner, unsigned stride, const mutation& m) {
  if (stride < m.combines_from || m.how == combination::add) return own + partner;
  return m.how == combination::subtract ? own - partner : partner;
}

__global__ void reduce_mutated(const int* in, int* partials, std::size_t n, mutation m) {
  int* tile = workbook::dynamic_shared<int>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = m.begin(blockIdx.x, blockDim.x) + tid;
  tile[tid] = i < n && m.loads(i, n) ? in[i] : 0;
  __syncthreads();
  for (unsigned stride = blockDim.x / m.first_divisor; stride >= m.last_stride && stride > 0; stride /= m.divisor) {
    for (unsigned turn = 0; turn < (stride == m.twice_at ? 2u : 1u); ++turn) {
      const int own = tile[tid];
      const int partner = tile[(tid + stride + m.partner_shift) % blockDim.x];
      __syncthreads();  // all threads have read before any thread writes
      if (tid < stride) tile[tid] = combined(own, partner, stride, m);
      __syncthreads();
    }
  }
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

}  // namespace

std::size_t reduce(const int* in, int* partials, std::size_t n, unsigned block_size, const mutation& m) {
  const std::size_t blocks = blocks_for(n, block_size);
  reduce_mutated<<<static_cast<unsigned>(blocks), block_size, block_size * sizeof(int)>>>(in, partials, n, m);
  return blocks > m.returns_fewer ? blocks - m.returns_fewer : blocks;
}

}  // namespace mutated
