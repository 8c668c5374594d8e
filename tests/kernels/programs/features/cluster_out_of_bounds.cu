// covers: device library | clusters: an out-of-bounds access to another block's shared memory
// status: 86
// finding: Out of bounds of the shared memory of block 0: thread 0 reads tile[64] there in

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) outside(int* out, int offset) {
  __shared__ int tile[64];
  const cg::cluster_group cluster = cg::this_cluster();
  tile[threadIdx.x] = tile[threadIdx.x + 32] = 5;
  cluster.sync();
  // The index is beyond the end of the other block's tile.
  out[threadIdx.x] = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[threadIdx.x + offset];
  cluster.sync();
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  outside<<<2, 32>>>(out, 64);
  return cudaDeviceSynchronize() == cudaSuccess ? 1 : 0;
}
