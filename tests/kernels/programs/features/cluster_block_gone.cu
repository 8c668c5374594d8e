// covers: device library | clusters: access to shared memory of a block that has exited (a fault on an H100, too)
// status: 86
// says: cudaErrorLaunchFailure
// finding: uses shared memory in cluster_block_gone.cu:19 that no block of its cluster has: block 1 has left the kernel

#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) late(int* out) {
  __shared__ int tile[32];
  const cg::cluster_group cluster = cg::this_cluster();
  tile[threadIdx.x] = 5;
  cluster.sync();
  if (cluster.block_rank() == 1) return;
  for (const long long begin = clock64(); clock64() - begin < 20000000;) {
  }
  out[threadIdx.x] = cluster.map_shared_rank(tile, 1)[threadIdx.x];
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  late<<<2, 32>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
