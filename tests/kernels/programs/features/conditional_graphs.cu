// covers: host | conditional nodes of graphs: if, if and else, while, switch; nested, captured, changed and updated
// says: if 1: 1, if 0: 0
// says: if and else: 1 10 1 10
// says: a loop of 7 turns: 7 turns, sum 28
// says: switch: 1 10 100 0
// says: a loop in a loop: 12
// says: captured: 128 halved to 1 in 7 turns, seen by the kernel behind: 7
// says: a node in a body is changed: 1, then 10; left out: 0
// says: updated with another default and other bodies: 100
// says: errors: cudaErrorNotSupported cudaErrorNotSupported cudaErrorNotSupported cudaErrorInvalidValue
// says: errors: cudaErrorInvalidValue cudaErrorInvalidValue cudaErrorInvalidValue cudaErrorStreamCaptureUnsupported
// says: the executable graph outlives its graph: 1
// with: --api-errors off

#include <cstdio>

using handle = cudaGraphConditionalHandle;

__global__ void add(int* sum, int summand) {
  *sum += summand;
}
__global__ void set(handle condition, unsigned value) {
  cudaGraphSetConditional(condition, value);
}
// Sets the condition of the next node to the value that the host has stored.
__global__ void choose(handle condition, const unsigned* choice) {
  cudaGraphSetConditional(condition, *choice);
}
// One iteration of a loop, which ends when `left` reaches 0.
__global__ void count_down(handle condition, int* left, int* sum) {
  *sum += *left;
  *left -= 1;
  if (*left == 0) cudaGraphSetConditional(condition, 0);
}
__global__ void restart(handle condition, int* left, int turns) {
  *left = turns;
  cudaGraphSetConditional(condition, 1);
}
__global__ void halve(handle condition, int* values, int n, int* turns) {
  const unsigned i = threadIdx.x;
  if (i < n) values[i] /= 2;
  if (i != 0) return;
  *turns += 1;
  cudaGraphSetConditional(condition, values[0] > 1);
}
__global__ void copy(const int* from, int* to) {
  *to = *from;
}

template <typename... Arguments>
cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t* behind, void (*kernel)(Arguments...),
                           Arguments... arguments) {
  void* pointers[] = {&arguments...};
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeKernel;
  node.kernel.func = reinterpret_cast<void*>(kernel);
  node.kernel.gridDim = dim3(1);
  node.kernel.blockDim = dim3(1);
  node.kernel.kernelParams = pointers;
  cudaGraphNode_t made = nullptr;
  cudaGraphAddNode(&made, graph, behind, nullptr, behind != nullptr, &node);
  return made;
}

struct branches {
  handle condition = 0;
  cudaGraphNode_t node = nullptr;
  cudaGraph_t* bodies = nullptr;
  cudaError_t error = cudaSuccess;
};

// The condition's default is 0 or `value`. The node runs after `behind` if that is given.
branches add_branches(cudaGraph_t graph, cudaGraphConditionalNodeType type, unsigned size, unsigned value = 0,
                      const cudaGraphNode_t* behind = nullptr, handle condition = 0) {
  branches made;
  made.condition = condition;
  if (condition == 0) cudaGraphConditionalHandleCreate(&made.condition, graph, value, cudaGraphCondAssignDefault);
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.handle = made.condition;
  node.conditional.type = type;
  node.conditional.size = size;
  made.error = cudaGraphAddNode(&made.node, graph, behind, nullptr, behind != nullptr, &node);
  made.bodies = node.conditional.phGraph_out;
  return made;
}

cudaGraph_t new_graph() {
  cudaGraph_t made;
  cudaGraphCreate(&made, 0);
  return made;
}
cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t made = nullptr;
  cudaGraphInstantiate(&made, graph, 0);
  return made;
}

cudaStream_t stream;
int* device;  // eight words: 0 a sum, 1 the rest of a loop's count, 2 a choice, 3 and 4 more

int launch_and_read(cudaGraphExec_t graph, int word = 0) {
  int found = -1;
  cudaMemsetAsync(device, 0, 2 * sizeof(int), stream);
  cudaGraphLaunch(graph, stream);
  cudaMemcpyAsync(&found, device + word, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return found;
}
void choose_by_host(unsigned choice) {
  cudaMemcpy(device + 2, &choice, sizeof choice, cudaMemcpyHostToDevice);
}

void decide() {
  cudaGraph_t graph = new_graph();
  handle condition;
  cudaGraphConditionalHandleCreate(&condition, graph, 0, 0);
  cudaGraphNode_t first = add_kernel(graph, nullptr, choose, condition, (const unsigned*)(device + 2));
  branches made = add_branches(graph, cudaGraphCondTypeIf, 1, 0, &first, condition);
  add_kernel(made.bodies[0], nullptr, add, device, 1);
  cudaGraphExec_t ready = instantiate(graph);
  choose_by_host(1);
  const int with = launch_and_read(ready);
  choose_by_host(0);
  std::printf("if 1: %d, if 0: %d\n", with, launch_and_read(ready));

  graph = new_graph();
  cudaGraphConditionalHandleCreate(&condition, graph, 1, cudaGraphCondAssignDefault);
  first = add_kernel(graph, nullptr, choose, condition, (const unsigned*)(device + 2));
  made = add_branches(graph, cudaGraphCondTypeIf, 2, 0, &first, condition);
  add_kernel(made.bodies[0], nullptr, add, device, 1);
  add_kernel(made.bodies[1], nullptr, add, device, 10);
  ready = instantiate(graph);
  std::printf("if and else:");
  for (unsigned choice : {3u, 0u, 1u, 0u}) {
    choose_by_host(choice);
    std::printf(" %d", launch_and_read(ready));
  }
  std::printf("\n");
}

void repeat() {
  cudaGraph_t graph = new_graph();
  handle condition;
  cudaGraphConditionalHandleCreate(&condition, graph, 0, 0);
  cudaGraphNode_t first = add_kernel(graph, nullptr, restart, condition, device + 1, 7);
  branches loop = add_branches(graph, cudaGraphCondTypeWhile, 1, 0, &first, condition);
  cudaGraphNode_t turn = add_kernel(loop.bodies[0], nullptr, count_down, condition, device + 1, device);
  add_kernel(loop.bodies[0], &turn, add, device + 3, 1);
  add_kernel(graph, &loop.node, copy, (const int*)(device + 3), device + 4);
  cudaMemset(device, 0, 8 * sizeof(int));
  cudaGraphExec_t ready = instantiate(graph);
  const int sum = launch_and_read(ready);
  int turns;
  cudaMemcpy(&turns, device + 4, sizeof turns, cudaMemcpyDeviceToHost);
  std::printf("a loop of 7 turns: %d turns, sum %d\n", turns, sum);

  graph = new_graph();
  cudaGraphConditionalHandleCreate(&condition, graph, 9, cudaGraphCondAssignDefault);
  first = add_kernel(graph, nullptr, choose, condition, (const unsigned*)(device + 2));
  branches cases = add_branches(graph, cudaGraphCondTypeSwitch, 3, 0, &first, condition);
  for (int k = 0, summand = 1; k < 3; ++k, summand *= 10) add_kernel(cases.bodies[k], nullptr, add, device, summand);
  ready = instantiate(graph);
  std::printf("switch:");
  for (unsigned choice = 0; choice < 4; ++choice) {
    choose_by_host(choice);
    std::printf(" %d", launch_and_read(ready));
  }
  std::printf("\n");

  // The outer loop has three iterations, and the inner one four in each. The inner condition belongs to the outer body.
  graph = new_graph();
  branches outer = add_branches(graph, cudaGraphCondTypeWhile, 1, 1);
  handle inner_condition;
  cudaGraphConditionalHandleCreate(&inner_condition, outer.bodies[0], 0, 0);
  first = add_kernel(outer.bodies[0], nullptr, restart, inner_condition, device + 1, 4);
  branches inner = add_branches(outer.bodies[0], cudaGraphCondTypeWhile, 1, 0, &first, inner_condition);
  turn = add_kernel(inner.bodies[0], nullptr, count_down, inner_condition, device + 1, device + 5);
  add_kernel(inner.bodies[0], &turn, add, device, 1);
  add_kernel(outer.bodies[0], &inner.node, count_down, outer.condition, device + 6, device + 5);
  ready = instantiate(graph);
  const int three = 3;
  cudaMemcpy(device + 6, &three, sizeof three, cudaMemcpyHostToDevice);
  std::printf("a loop in a loop: %d\n", launch_and_read(ready));
}

// Captures the whole graph and the loop's body.
void captured() {
  const int n = 20;
  int *values, host[n];
  cudaMalloc(&values, n * sizeof(int));
  for (int& value : host) value = 128;
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  cudaStream_t inside;
  cudaStreamCreate(&inside);
  cudaMemset(device, 0, 8 * sizeof(int));

  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  cudaMemsetAsync(device, 0, sizeof(int), stream);
  cudaStreamCaptureStatus status;
  cudaGraph_t graph;
  const cudaGraphNode_t* last;
  const cudaGraphEdgeData* edges;
  size_t count;
  cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, &edges, &count);
  branches loop = add_branches(graph, cudaGraphCondTypeWhile, 1, 1, last);
  cudaStreamUpdateCaptureDependencies(stream, &loop.node, nullptr, 1, cudaStreamSetCaptureDependencies);
  cudaStreamBeginCaptureToGraph(inside, loop.bodies[0], nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed);
  halve<<<1, 32, 0, inside>>>(loop.condition, values, n, device);
  cudaGraph_t body;
  cudaStreamEndCapture(inside, &body);
  copy<<<1, 1, 0, stream>>>(device, device + 1);
  cudaStreamEndCapture(stream, &graph);

  const int turns = launch_and_read(instantiate(graph), 1);
  int seen;
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy(&seen, device, sizeof seen, cudaMemcpyDeviceToHost);
  std::printf("captured: 128 halved to %d in %d turns, seen by the kernel behind: %d\n",
              body == loop.bodies[0] ? host[n - 1] : -1, seen, turns);
  cudaFree(values);
  cudaStreamDestroy(inside);
}

void changed() {
  cudaGraph_t graph = new_graph();
  branches made = add_branches(graph, cudaGraphCondTypeIf, 2, 1);
  cudaGraphNode_t in_body = add_kernel(made.bodies[0], nullptr, add, device, 1);
  add_kernel(made.bodies[1], nullptr, add, device, 5);
  cudaGraphExec_t ready = instantiate(graph), second;
  // The executable graph doesn't contain the node that is added here.
  add_kernel(made.bodies[0], nullptr, add, device, 1000);
  const int before = launch_and_read(ready);
  int ten = 10;
  void* arguments[] = {&device, &ten};
  cudaKernelNodeParams other = {};
  other.func = reinterpret_cast<void*>(add);
  other.gridDim = other.blockDim = dim3(1);
  other.kernelParams = arguments;
  cudaGraphExecKernelNodeSetParams(ready, in_body, &other);
  const int after = launch_and_read(ready);
  cudaGraphNodeSetEnabled(ready, in_body, 0);
  std::printf("a node in a body is changed: %d, then %d; left out: %d\n", before, after, launch_and_read(ready));
  cudaGraphNodeSetEnabled(ready, in_body, 1);

  cudaGraph_t other_graph = new_graph();
  branches others = add_branches(other_graph, cudaGraphCondTypeIf, 2, 0);
  add_kernel(others.bodies[0], nullptr, add, device, 1);
  add_kernel(others.bodies[1], nullptr, add, device, 100);
  cudaGraphExecUpdateResultInfo result = {};
  cudaGraphExecUpdate(ready, other_graph, &result);
  std::printf("updated with another default and other bodies: %d\n",
              result.result == cudaGraphExecUpdateSuccess ? launch_and_read(ready) : -1);

  cudaGraph_t copied;
  cudaGraphNode_t child;
  std::printf("errors: %s", cudaGetErrorName(cudaGraphClone(&copied, graph)));
  std::printf(" %s", cudaGetErrorName(cudaGraphAddChildGraphNode(&child, new_graph(), nullptr, 0, graph)));
  std::printf(" %s", cudaGetErrorName(cudaGraphInstantiate(&second, graph, 0)));
  std::printf(" %s\n", cudaGetErrorName(cudaGraphDestroy(made.bodies[0])));
  std::printf("errors: %s", cudaGetErrorName(cudaGraphNodeSetEnabled(ready, made.node, 0)));
  std::printf(" %s", cudaGetErrorName(add_branches(graph, cudaGraphCondTypeWhile, 2).error));
  std::printf(" %s", cudaGetErrorName(add_branches(graph, cudaGraphCondTypeIf, 1, 0, nullptr, made.condition).error));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  std::printf(" %s\n", cudaGetErrorName(cudaGraphLaunch(ready, stream)));
  cudaStreamEndCapture(stream, &copied);
  cudaGetLastError();

  graph = new_graph();
  made = add_branches(graph, cudaGraphCondTypeIf, 1, 1);
  add_kernel(made.bodies[0], nullptr, add, device, 1);
  ready = instantiate(graph);
  cudaGraphDestroy(graph);
  std::printf("the executable graph outlives its graph: %d\n", launch_and_read(ready));
}

int main() {
  cudaStreamCreate(&stream);
  cudaMalloc(&device, 8 * sizeof(int));
  cudaMemset(device, 0, 8 * sizeof(int));
  decide();
  repeat();
  captured();
  changed();
  return cudaDeviceSynchronize() != cudaSuccess;
}
