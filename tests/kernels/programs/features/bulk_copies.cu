// covers: device library | bulk copies (cp.async.bulk): two stages, mbarriers that count bytes; copies back in groups
// status: 0

#include <cstdint>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/ptx>
#include <vector>

namespace ptx = cuda::ptx;

constexpr int threads = 128, tile = 256, tiles_per_block = 5, blocks = 3;

__device__ void wait_for(std::uint64_t* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
  }
}

// Computes out[i] = 3 in[i] + (sum of its tile). Thread 0 copies one stage while the block computes on the other stage.
__global__ void pipeline(const int* in, int* out) {
  __shared__ alignas(128) int stage[2][tile];
  __shared__ alignas(128) int result[2][tile];
  __shared__ std::uint64_t full[2];
  __shared__ int sums[threads / 32];
  const int* const first = in + blockIdx.x * tiles_per_block * tile;
  const auto fill = [&](int t) {
    std::uint64_t* const barrier = &full[t % 2];
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, sizeof(stage[0]));
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[t % 2], first + t * tile, sizeof(stage[0]),
                       barrier);
  };
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full[0], 1);
    ptx::mbarrier_init(&full[1], 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (threadIdx.x == 0) fill(0);
  for (int t = 0; t < tiles_per_block; ++t) {
    if (threadIdx.x == 0 && t + 1 < tiles_per_block) fill(t + 1);  // all have read that stage before the last barrier
    wait_for(&full[t % 2], static_cast<unsigned>(t / 2 % 2));
    int sum = 0;
    for (int i = static_cast<int>(threadIdx.x); i < tile; i += threads) sum += stage[t % 2][i];
    for (int stride = 16; stride > 0; stride /= 2) sum += __shfl_down_sync(0xffffffffu, sum, stride);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    // Waits until the copy of the tile before last has read the result that is overwritten now.
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
    __syncthreads();
    sum = sums[0] + sums[1] + sums[2] + sums[3];
    for (int i = static_cast<int>(threadIdx.x); i < tile; i += threads) result[t % 2][i] = 3 * stage[t % 2][i] + sum;
    ptx::fence_proxy_async(ptx::space_shared);  // makes the writes visible to the copy
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + (blockIdx.x * tiles_per_block + t) * tile,
                         result[t % 2], sizeof(result[0]));
      ptx::cp_async_bulk_commit_group();
    }
  }
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

#pragma nv_diag_suppress static_var_with_dynamic_init
// The same with libcu++: one thread copies and arrives with the number of bytes, the others arrive, and all wait.
__global__ void by_libcupp(const int* in, int* out) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(128) int buffer[2 * tile];
  __shared__ barrier filled;
  if (threadIdx.x == 0) init(&filled, threads);
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(buffer, in, cuda::aligned_size_t<16>(sizeof(buffer)), filled);
    token = cuda::device::barrier_arrive_tx(filled, 1, sizeof(buffer));
  } else {
    token = filled.arrive();
  }
  filled.wait(std::move(token));
  for (int i = static_cast<int>(threadIdx.x); i < 2 * tile; i += threads) out[i] = buffer[2 * tile - 1 - i];
}

int main() {
  constexpr int n = blocks * tiles_per_block * tile;
  std::vector<int> in(n), got(n);
  for (int i = 0; i < n; ++i) in[i] = i * 7 % 1000 - 300;
  int *device_in, *device_out;
  cudaMalloc(&device_in, n * sizeof(int));
  cudaMalloc(&device_out, n * sizeof(int));
  cudaMemcpy(device_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  pipeline<<<blocks, threads>>>(device_in, device_out);
  if (cudaMemcpy(got.data(), device_out, n * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int k = i / tile * tile; k < (i / tile + 1) * tile; ++k) sum += in[k];
    if (got[i] != 3 * in[i] + sum) return std::printf("out[%d] is %d and not %d\n", i, got[i], 3 * in[i] + sum), 1;
  }
  std::printf("pipeline: %d numbers are right\n", n);
  by_libcupp<<<1, threads>>>(device_in, device_out);
  if (cudaMemcpy(got.data(), device_out, n * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (int i = 0; i < 2 * tile; ++i)
    if (got[i] != in[2 * tile - 1 - i])
      return std::printf("out[%d] is %d and not %d\n", i, got[i], in[2 * tile - 1 - i]), 1;
  std::printf("libcu++: %d numbers are right\n", 2 * tile);
  cudaFree(device_in);
  cudaFree(device_out);
  return 0;
}
