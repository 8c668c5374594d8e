// covers: device library | clusters: what their barrier orders in global and own shared memory; cooperative, captured
// status: 0

#include <cooperative_groups.h>
#include <cstdio>
#include <utility>

namespace cg = cooperative_groups;

constexpr int threads = 64, blocks = 8;

// One block writes to global memory before the cluster's barrier, and the other block reads it afterwards.
__global__ void __cluster_dims__(2) through_global(int* data, int* out) {
  const cg::cluster_group cluster = cg::this_cluster();
  int* const mine = data + blockIdx.x / 2 * threads;
  if (cluster.block_rank() == 0) mine[threadIdx.x] = static_cast<int>(threadIdx.x);
  cluster.sync();
  if (cluster.block_rank() == 1) out[blockIdx.x / 2 * threads + threadIdx.x] = mine[threads - 1 - threadIdx.x];
}

// The cluster's barrier also works as a barrier for the threads of one block, whether it is called whole or in halves.
__global__ void __cluster_dims__(2) inside(int* out) {
  __shared__ int tile[threads];
  const cg::cluster_group cluster = cg::this_cluster();
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  cluster.sync();
  int sum = tile[threads - 1 - threadIdx.x];
  cluster.sync();
  tile[threadIdx.x] = 100;
  auto token = cluster.barrier_arrive();
  sum += tile[threadIdx.x];  // its own word
  cluster.barrier_wait(std::move(token));
  out[blockIdx.x * threads + threadIdx.x] = sum + tile[threads - 1 - threadIdx.x];
}

// Clusters in a cooperative grid, with both barriers.
__global__ void __cluster_dims__(2) cooperative(int* out, int* total) {
  __shared__ int number;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) number = static_cast<int>(blockIdx.x);
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&number, cluster.block_rank() ^ 1);
  cluster.sync();
  cg::this_grid().sync();
  if (cg::this_grid().thread_rank() != 0) return;
  *total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) *total += out[b] * static_cast<int>(b + 1);
}

int main() {
  int *data, *out, *total;
  cudaMallocManaged(&data, blocks * threads * sizeof(int));
  cudaMallocManaged(&out, blocks * threads * sizeof(int));
  cudaMallocManaged(&total, sizeof(int));
  int wrong = 0;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t captured;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  through_global<<<blocks, threads, 0, stream>>>(data, out);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&captured, graph, 0);
  cudaGraphLaunch(captured, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return 1;
  for (int i = 0; i < blocks / 2 * threads; ++i) wrong += out[i] != threads - 1 - i % threads;
  std::printf("through global memory: %d wrong\n", wrong);
  inside<<<blocks, threads>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < blocks * threads; ++i) wrong += out[i] != threads - 1 - i % threads + 200;
  std::printf("inside of blocks: %d wrong\n", wrong);
  void* arguments[] = {&out, &total};
  if (cudaLaunchCooperativeKernel(cooperative, dim3(blocks), dim3(threads), arguments) != cudaSuccess) return 1;
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wanted = 0;
  for (int b = 0; b < blocks; ++b) wanted += (b ^ 1) * (b + 1);
  std::printf("cooperative: %d, wanted %d\n", *total, wanted);
  wrong += *total != wanted;
  cudaGraphExecDestroy(captured);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(data);
  cudaFree(out);
  cudaFree(total);
  return wrong == 0 ? 0 : 1;
}
