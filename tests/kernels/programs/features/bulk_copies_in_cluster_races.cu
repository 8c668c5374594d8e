// covers: device library | clusters: bulk copies that race with other blocks' reads, or are not waited for
// status: 86
// finding: reads got[63] of block 1 in bulk_copies_in_cluster_races.cu:44 without waiting for thread 0 of block 0
// finding: reads tile[63] of block 1 in bulk_copies_in_cluster_races.cu:63 without waiting for thread 0 of block 1
// finding: no thread of the cluster has written it

#include <cooperative_groups.h>

#include <cuda/ptx>

#include <cstdint>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int threads = 64, size = 2;

__device__ void begin(std::uint64_t* full) {
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2; ++k) ptx::mbarrier_init(&full[k], 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  ptx::fence_proxy_async(ptx::space_shared);
}

// Each block sends its tile to the other one twice without waiting until the first has been read.
__global__ void __cluster_dims__(size) sends_again(const int* in, int* out) {
  __shared__ alignas(128) int tile[threads], got[threads];
  __shared__ std::uint64_t full[2];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned other = cluster.block_rank() ^ 1u;
  tile[threadIdx.x] = in[threadIdx.x];
  begin(full);
  cluster.sync();
  int sum = 0;
  for (unsigned r = 0; r < 2; ++r) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &full[r], sizeof tile);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(got, other), tile, sizeof tile,
                         cluster.map_shared_rank(&full[r], other));
    }
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full[r], 0)) {
    }
    sum += got[threads - 1 - threadIdx.x];
  }
  out[blockIdx.x * threads + threadIdx.x] = sum;
  cluster.sync();
}

// A block loads its own tile. The other block reads it, although only this block's threads wait for it.
__global__ void __cluster_dims__(size) reads_over_there(const int* in, int* out) {
  __shared__ alignas(128) int tile[threads];
  __shared__ std::uint64_t full[2];
  const cg::cluster_group cluster = cg::this_cluster();
  begin(full);
  cluster.sync();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &full[0], sizeof tile);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &full[0]);
  }
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full[0], 0)) {
  }
  out[blockIdx.x * threads + threadIdx.x] = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1u)[63 - threadIdx.x];
  cluster.sync();
}

int main() {
  int *in, *out;
  cudaMalloc(&in, threads * sizeof(int));
  cudaMalloc(&out, size * threads * sizeof(int));
  cudaMemset(in, 0, threads * sizeof(int));
  sends_again<<<size, threads>>>(in, out);
  reads_over_there<<<size, threads>>>(in, out);
  cudaDeviceSynchronize();
}
