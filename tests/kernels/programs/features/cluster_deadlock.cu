// covers: device library | clusters: a barrier of the cluster that one block does not reach: a deadlock
// status: 86
// finding: wait at the cluster's barrier in cluster_deadlock.cu:16; block 3 waits in cluster_deadlock.cu:18 for go

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) skip(int* go, int* out) {
  __shared__ int word;
  const cg::cluster_group cluster = cg::this_cluster();
  word = static_cast<int>(cluster.block_rank());
  cluster.sync();
  if (cluster.block_rank() != 3) {
    // Block 3 waits for a word that block 0 would write after this barrier.
    cluster.sync();
  } else {
    while (*static_cast<volatile int*>(go) == 0) {
    }
    cluster.sync();
  }
  if (cluster.thread_rank() == 0) *go = 1;
  out[blockIdx.x] = word;
}

int main() {
  int *go, *out;
  cudaMalloc(&go, sizeof(int));
  cudaMalloc(&out, 4 * sizeof(int));
  cudaMemset(go, 0, sizeof(int));
  skip<<<4, 1>>>(go, out);
  return cudaDeviceSynchronize() == cudaSuccess ? 1 : 0;
}
