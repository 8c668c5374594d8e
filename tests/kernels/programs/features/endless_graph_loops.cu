// covers: host | while nodes that never end: condition never cleared, nothing changes any more, too many iterations
// with: --max-instructions 20000
// status: 86
// says: nobody sets it: cudaErrorLaunchTimeout
// says: nothing changes: cudaErrorLaunchTimeout
// says: counts too far: cudaErrorLaunchTimeout
// finding: An endless loop: the while node never ends: no kernel in its body calls cudaGraphSetConditional
// finding: An endless loop: the while node never ends: iteration 4 changed nothing in memory
// finding: An endless loop: the while node never ends: after

#include <cstdio>

using handle = cudaGraphConditionalHandle;

__global__ void add(int* sum) {
  *sum += 1;
}
// Waits for a number that the sum never reaches, because it stays at 3.
__global__ void add_up_to_3(handle condition, int* sum) {
  if (*sum < 3) *sum += 1;
  if (*sum == 5) cudaGraphSetConditional(condition, 0);
}
// The sum starts at 1 and grows by 2, so it is never 1000.
__global__ void add_2(handle condition, int* sum) {
  *sum = *sum == 0 ? 1 : *sum + 2;
  if (*sum == 1000) cudaGraphSetConditional(condition, 0);
}

void run(const char* what, void* kernel, bool with_condition) {
  int* sum;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  handle condition;
  cudaGraphConditionalHandleCreate(&condition, graph, 1, cudaGraphCondAssignDefault);
  cudaGraphNodeParams loop = {}, turn = {};
  loop.type = cudaGraphNodeTypeConditional;
  loop.conditional.handle = condition;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node;
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop);
  void* arguments[] = {&condition, &sum};
  turn.type = cudaGraphNodeTypeKernel;
  turn.kernel.func = kernel;
  turn.kernel.gridDim = turn.kernel.blockDim = dim3(1);
  turn.kernel.kernelParams = with_condition ? arguments : arguments + 1;
  cudaGraphAddNode(&node, loop.conditional.phGraph_out[0], nullptr, nullptr, 0, &turn);
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, nullptr);
  std::printf("%s: %s\n", what, cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
}

int main() {
  run("nobody sets it", reinterpret_cast<void*>(add), false);
  run("nothing changes", reinterpret_cast<void*>(add_up_to_3), true);
  run("counts too far", reinterpret_cast<void*>(add_2), true);
}
