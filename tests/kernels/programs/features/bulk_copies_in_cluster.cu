// covers: device library | clusters: bulk copies to other blocks that arrive at their mbarriers; remote arrivals
// status: 0

#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <vector>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int threads = 64, size = 4, rounds = 6;

// In each iteration a block sends its tile to the next block and adds the tile that it receives from the one before. A
// stage is refilled after all threads of its block have arrived at the sender's mbarrier, that is, have read the stage.
__global__ void __cluster_dims__(size) ring(const int* in, int* out) {
  __shared__ alignas(128) int tile[threads];
  __shared__ alignas(128) int got[2][threads];
  __shared__ std::uint64_t full[2], empty[2];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), next = (rank + 1) % size, before = (rank + size - 1) % size;
  tile[threadIdx.x] = in[blockIdx.x * threads + threadIdx.x];
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; ++s) {
      ptx::mbarrier_init(&full[s], 1);
      ptx::mbarrier_init(&empty[s], threads);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  ptx::fence_proxy_async(ptx::space_shared);
  cluster.sync();
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const int s = r % 2;
    const unsigned parity = static_cast<unsigned>(r / 2 % 2);
    if (threadIdx.x == 0) {
      // Expects the bytes of this iteration, for which this block's own barrier waits.
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &full[s], sizeof(tile));
      if (r >= 2)  // waits until the next block has read the tile sent two iterations ago
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &empty[s], parity ^ 1u)) {
        }
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(got[s], next), tile,
                         sizeof(tile), cluster.map_shared_rank(&full[s], next));
    }
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full[s], parity)) {
    }
    sum += (r + 1) * got[s][threads - 1 - threadIdx.x];
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                         cluster.map_shared_rank(&empty[s], before));
  }
  out[blockIdx.x * threads + threadIdx.x] = sum;
  cluster.sync();  // no block leaves while others send to it or arrive at its barriers
}

// A block writes to another block's memory and hands the data over with an arrival there, without a cluster barrier.
__global__ void __cluster_dims__(2) hand_over(int* out) {
  __shared__ int box[threads];
  __shared__ std::uint64_t there;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&there, threads);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  cluster.sync();
  if (cluster.block_rank() == 1) {
    cluster.map_shared_rank(box, 0)[threads - 1 - threadIdx.x] = static_cast<int>(10 * threadIdx.x);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&there, 0));
  } else {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &there, 0)) {
    }
    out[threadIdx.x] = box[threadIdx.x];
  }
  cluster.sync();
}

int main() {
  constexpr int blocks = 2 * size, n = blocks * threads;
  std::vector<int> in(n), got(n);
  for (int i = 0; i < n; ++i) in[i] = i * 13 % 512;
  int *device_in, *device_out;
  cudaMalloc(&device_in, n * sizeof(int));
  cudaMalloc(&device_out, n * sizeof(int));
  cudaMemcpy(device_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  ring<<<blocks, threads>>>(device_in, device_out);
  if (cudaMemcpy(got.data(), device_out, n * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (int b = 0; b < blocks; ++b) {
    const int before = b / size * size + (b + size - 1) % size;
    for (int t = 0; t < threads; ++t) {
      const int wanted = rounds * (rounds + 1) / 2 * in[before * threads + threads - 1 - t];
      if (got[b * threads + t] != wanted)
        return std::printf("block %d, thread %d: %d and not %d\n", b, t, got[b * threads + t], wanted), 1;
    }
  }
  std::printf("ring: %d sums are right\n", n);
  hand_over<<<2, threads>>>(device_out);
  if (cudaMemcpy(got.data(), device_out, n * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (int t = 0; t < threads; ++t)
    if (got[t] != 10 * (threads - 1 - t)) return std::printf("box[%d] is %d\n", t, got[t]), 1;
  std::printf("handed over: %d numbers are right\n", threads);
  cudaFree(device_in);
  cudaFree(device_out);
  return 0;
}
