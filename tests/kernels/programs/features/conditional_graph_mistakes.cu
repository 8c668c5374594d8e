// covers: host | mistakes with conditional nodes: no order, no value, set twice, set outside a launch, destroyed graph
// with: --api-errors off
// status: 86
// says: without an edge: ended
// says: without a value: ended
// says: two threads set it: ended
// says: out of bounds in a body: cudaErrorIllegalAddress
// says: set beside a launch: cudaErrorIllegalAddress
// says: set for a lost graph: cudaErrorIllegalAddress
// says: a host function in a body: cudaErrorInvalidValue
// finding: the conditional node reads byte 0 of variable condition of a graph (4 bytes), which kernel set(
// finding: A conditional node decides by a condition that has no value in this launch of its graph
// finding: kernel add(int*, int) writes byte 0 of allocation 1 (32 bytes), which kernel add(int*, int) in line
// finding: Out of bounds: thread 0 reads sums[8] (n) in conditional_graph_mistakes.cu:27, but sums has 8 elements
// finding: 30 with an invalid handle: its graph is not running
// finding: 30 with an invalid handle: its graph has been destroyed
// finding: Several threads of a block write condition[0], as threads 0 and 32 do in conditional_graph_mistakes.cu:34

#include <cstdio>

using handle = cudaGraphConditionalHandle;

__global__ void add(int* sum, int summand) {
  *sum += summand;
}
__global__ void add_behind(int* sums, int n) {
  sums[n] += 1;
}
__global__ void set(handle condition, unsigned value) {
  cudaGraphSetConditional(condition, value);
}
// The value of the condition is undefined afterwards, because two values are set.
__global__ void set_by_each(handle condition) {
  cudaGraphSetConditional(condition, threadIdx.x / 32);
}

template <typename... Arguments>
cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t* behind, unsigned threads,
                           void (*kernel)(Arguments...), Arguments... arguments) {
  void* pointers[] = {&arguments...};
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeKernel;
  node.kernel.func = reinterpret_cast<void*>(kernel);
  node.kernel.gridDim = dim3(1);
  node.kernel.blockDim = dim3(threads);
  node.kernel.kernelParams = pointers;
  cudaGraphNode_t made = nullptr;
  cudaGraphAddNode(&made, graph, behind, nullptr, behind != nullptr, &node);
  return made;
}

struct made_graph {
  cudaGraph_t graph = nullptr;
  handle condition = 0;
  cudaGraph_t body = nullptr;
  cudaGraphNode_t node = nullptr;
};

/// Returns a graph with an if node, optionally after a kernel that sets its condition.
made_graph make(unsigned flags, bool sets, bool with_edge, unsigned setters = 1) {
  made_graph made;
  cudaGraphCreate(&made.graph, 0);
  cudaGraphConditionalHandleCreate(&made.condition, made.graph, 1, flags);
  cudaGraphNode_t first = nullptr;
  if (sets && setters == 1) first = add_kernel(made.graph, nullptr, 1, set, made.condition, 1u);
  if (sets && setters > 1) first = add_kernel(made.graph, nullptr, setters, set_by_each, made.condition);
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.handle = made.condition;
  node.conditional.type = cudaGraphCondTypeIf;
  node.conditional.size = 1;
  cudaGraphAddNode(&made.node, made.graph, &first, nullptr, with_edge, &node);
  made.body = node.conditional.phGraph_out[0];
  return made;
}

cudaError_t run(cudaGraph_t graph) {
  cudaGraphExec_t ready = nullptr;
  if (const cudaError_t error = cudaGraphInstantiate(&ready, graph, 0); error != cudaSuccess) return error;
  cudaGraphLaunch(ready, nullptr);
  return cudaDeviceSynchronize();
}

void say(const char* what, cudaError_t error) {
  std::printf("%s: %s\n", what, error == cudaSuccess ? "ended" : cudaGetErrorName(error));
  cudaGetLastError();
}

/// Resets the device, because a kernel's error ends all of its work, and allocates `sums` again.
void begin_again(int*& sums) {
  cudaDeviceReset();
  cudaMalloc(&sums, 8 * sizeof(int));
  cudaMemset(sums, 0, 8 * sizeof(int));
}

int main() {
  int* sums;
  cudaMalloc(&sums, 8 * sizeof(int));
  cudaMemset(sums, 0, 8 * sizeof(int));

  // The node may read the condition before the kernel has set it.
  made_graph made = make(cudaGraphCondAssignDefault, true, false);
  add_kernel(made.body, nullptr, 1, add, sums, 1);
  say("without an edge", run(made.graph));

  made = make(0, false, false);
  add_kernel(made.body, nullptr, 1, add, sums, 1);
  // The node's edge orders this kernel after the body's kernel. The kernel added next to a node below has no edge.
  add_kernel(made.graph, &made.node, 1, add, sums, 1);
  say("without a value", run(made.graph));

  made = make(0, true, true, 64);
  add_kernel(made.body, nullptr, 1, add, sums, 1);
  add_kernel(made.graph, nullptr, 1, add, sums, 1);
  say("two threads set it", run(made.graph));

  made = make(cudaGraphCondAssignDefault, false, false);
  add_kernel(made.body, nullptr, 1, add_behind, sums, 8);
  say("out of bounds in a body", run(made.graph));
  begin_again(sums);

  made = make(cudaGraphCondAssignDefault, false, false);
  set<<<1, 1>>>(made.condition, 1);
  say("set beside a launch", cudaDeviceSynchronize());
  begin_again(sums);

  made = make(cudaGraphCondAssignDefault, false, false);
  cudaGraphDestroy(made.graph);
  set<<<1, 1>>>(made.condition, 1);
  say("set for a lost graph", cudaDeviceSynchronize());
  begin_again(sums);

  made = make(cudaGraphCondAssignDefault, false, false);
  cudaHostNodeParams host = {[](void*) {}, nullptr};
  cudaGraphNode_t node;
  cudaGraphAddHostNode(&node, made.body, nullptr, 0, &host);
  say("a host function in a body", run(made.graph));
  return 0;
}
