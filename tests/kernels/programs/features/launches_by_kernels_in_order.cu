// covers: host | kernels that launch kernels: in streams, after a kernel that waits, in clusters, in a graph's body
// with: -rdc=true --api-errors off
// checks: racecheck,memcheck
// status: 86
// says: behind the one that waits: 42
// says: clusters: 912, then 0; ranks 0 1 0 1
// says: a body's kernel that launches: cudaErrorInvalidValue
// finding: kernel other(int*) writes byte 0 of allocation 2 (4 bytes), which kernel wait_and_launch(int*, int*) in line

#include <cooperative_groups.h>

#include <cstdio>
#include <cuda/atomic>

using flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void child(int* out) {
  *out = 42;
}
__global__ void wait_and_launch(int* box, int* out) {
  while (flag(*box).load(cuda::memory_order_acquire) == 0) {
  }
  child<<<1, 1>>>(out);
}
__global__ void open(int* box) {
  flag(*box).store(1, cuda::memory_order_release);
}
__global__ void other(int* out) {
  *out = 43;
}

__global__ void __cluster_dims__(2, 1, 1) pair(int* ranks) {
  ranks[blockIdx.x] = static_cast<int>(cooperative_groups::this_cluster().block_rank());
}
// Three blocks cannot be divided into clusters of two.
__global__ void launch_pairs(int* ranks, int* errors) {
  pair<<<3, 1>>>(ranks);
  errors[0] = cudaGetLastError();
  pair<<<4, 1>>>(ranks);
  errors[1] = cudaGetLastError();
}

int main() {
  int *box, *out, result = 0;
  cudaMalloc(&box, sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);

  // The child's write counts as the parent's, so it happens before the work that follows the parent in its stream.
  cudaMemset(box, 0, sizeof(int));
  cudaDeviceSynchronize();
  wait_and_launch<<<1, 1, 0, first>>>(box, out);
  open<<<1, 1, 0, second>>>(box);
  cudaMemcpyAsync(&result, out, sizeof(int), cudaMemcpyDeviceToHost, first);
  cudaStreamSynchronize(first);
  std::printf("behind the one that waits: %d\n", result);

  // Nothing orders the child's write and the work in the other stream.
  cudaDeviceSynchronize();
  cudaMemset(box, 0, sizeof(int));
  cudaDeviceSynchronize();
  wait_and_launch<<<1, 1, 0, first>>>(box, out);
  open<<<1, 1, 0, second>>>(box);
  other<<<1, 1, 0, second>>>(out);
  cudaDeviceSynchronize();

  int *there, all[6];
  cudaMalloc(&there, sizeof all);
  launch_pairs<<<1, 1>>>(there, there + 4);
  cudaMemcpy(all, there, sizeof all, cudaMemcpyDeviceToHost);
  std::printf("clusters: %d, then %d; ranks %d %d %d %d\n", all[4], all[5], all[0], all[1], all[2], all[3]);

  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNodeParams branch = {};
  branch.type = cudaGraphNodeTypeConditional;
  branch.conditional.type = cudaGraphCondTypeIf;
  branch.conditional.size = 1;
  cudaGraphConditionalHandleCreate(&branch.conditional.handle, graph, 1, cudaGraphCondAssignDefault);
  cudaGraphNode_t node;
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &branch);
  void* arguments[] = {&there, &out};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(launch_pairs);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  cudaGraphAddKernelNode(&node, branch.conditional.phGraph_out[0], nullptr, 0, &kernel);
  cudaGraphExec_t ready;
  std::printf("a body's kernel that launches: %s\n", cudaGetErrorName(cudaGraphInstantiate(&ready, graph, 0)));
  return cudaGetLastError() == cudaSuccess;
}
