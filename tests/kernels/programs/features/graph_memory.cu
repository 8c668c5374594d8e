// covers: host | memory that graph nodes allocate and free: captured, by hand, kept after the launch, used too late
// with: --api-errors off
// status: 86
// says: captured: right
// says: by hand: right
// says: kept after the launch: right
// says: freed by the next launch: right
// says: in use: 0 bytes, at most 8192
// finding: Thread 0 reads memory in graph_memory.cu:21 that has been freed
// finding: (4096 bytes), which cudaGraphAddMemAllocNode in line 91 allocates: nothing orders the two, because no edge
// finding: kernel add(int const*, int*) reads byte 0 of allocation

#include <cstdio>

constexpr int n = 1024;

__global__ void fill(int* values, int first) {
  values[blockIdx.x * blockDim.x + threadIdx.x] = first + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
__global__ void add(const int* values, int* sums) {
  sums[blockIdx.x * blockDim.x + threadIdx.x] += values[blockIdx.x * blockDim.x + threadIdx.x];
}

int failures = 0;

void say(const char* what, bool right) {
  std::printf("%s: %s\n", what, right ? "right" : "wrong");
  failures += !right;
}

bool all_are(const int* sums, int times, int first) {
  for (int i = 0; i < n; ++i)
    if (sums[i] != times * (first + i)) return false;
  return true;
}

cudaGraphExec_t instantiate(cudaGraph_t graph, unsigned long long flags = 0) {
  cudaGraphExec_t ready = nullptr;
  cudaGraphInstantiate(&ready, graph, flags);
  return ready;
}

// Each launch allocates two pieces of memory, which exist at the same time.
void captured(cudaStream_t stream, int* sums) {
  cudaGraph_t graph;
  int *one, *two;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&one, n * sizeof(int), stream);
  fill<<<4, 256, 0, stream>>>(one, 5);
  cudaMallocAsync(&two, n * sizeof(int), stream);
  cudaMemcpyAsync(two, one, n * sizeof(int), cudaMemcpyDeviceToDevice, stream);
  cudaFreeAsync(one, stream);
  add<<<4, 256, 0, stream>>>(two, sums);
  cudaFreeAsync(two, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t ready = instantiate(graph), second;
  bool right = cudaGraphInstantiate(&second, graph, 0) == cudaErrorNotSupported;
  cudaGraph_t copy;
  right = right && cudaGraphClone(&copy, graph) == cudaErrorNotSupported;
  cudaGetLastError();
  for (int k = 0; k < 3; ++k) cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  say("captured", right && all_are(sums, 3, 5));
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

cudaKernelNodeParams kernel_node(void* kernel, void** arguments) {
  cudaKernelNodeParams node = {};
  node.func = kernel;
  node.gridDim = dim3(4);
  node.blockDim = dim3(256);
  node.kernelParams = arguments;
  return node;
}

struct made_graph {
  cudaGraph_t graph;
  int* memory;
};

/// \param frees  true if the graph frees its memory; \param late  true if one more kernel uses the memory after that
made_graph by_hand(int* sums, bool frees, bool late, bool with_edge = true) {
  made_graph made{};
  cudaGraphCreate(&made.graph, 0);
  cudaMemAllocNodeParams wanted = {};
  wanted.poolProps.allocType = cudaMemAllocationTypePinned;
  wanted.poolProps.location.type = cudaMemLocationTypeDevice;
  wanted.bytesize = n * sizeof(int);
  cudaGraphNode_t allocate, filled, added, freed, used;
  cudaGraphAddMemAllocNode(&allocate, made.graph, nullptr, 0, &wanted);
  made.memory = static_cast<int*>(wanted.dptr);
  int seven = 7;
  void* of_fill[] = {&made.memory, &seven};
  void* of_add[] = {&made.memory, &sums};
  const cudaKernelNodeParams fill_node = kernel_node(reinterpret_cast<void*>(fill), of_fill);
  const cudaKernelNodeParams add_node = kernel_node(reinterpret_cast<void*>(add), of_add);
  cudaGraphAddKernelNode(&filled, made.graph, &allocate, with_edge ? 1 : 0, &fill_node);
  cudaGraphAddKernelNode(&added, made.graph, &filled, 1, &add_node);
  if (frees) cudaGraphAddMemFreeNode(&freed, made.graph, &added, 1, made.memory);
  if (late) cudaGraphAddKernelNode(&used, made.graph, &freed, 1, &add_node);
  return made;
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* sums;
  cudaMallocManaged(&sums, n * sizeof(int));
  const auto clear = [&] {
    for (int i = 0; i < n; ++i) sums[i] = 0;
  };
  clear();
  captured(stream, sums);

  clear();
  made_graph made = by_hand(sums, true, false);
  cudaGraphExec_t ready = instantiate(made.graph);
  for (int k = 0; k < 2; ++k) cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  say("by hand", all_are(sums, 2, 7));

  // If the graph does not free its memory, the program may use it and must free it before the next launch.
  clear();
  made = by_hand(sums, false, false);
  ready = instantiate(made.graph);
  cudaGraphLaunch(ready, stream);
  add<<<4, 256, 0, stream>>>(made.memory, sums);
  cudaStreamSynchronize(stream);
  bool right = cudaGraphLaunch(ready, stream) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue;
  cudaFreeAsync(made.memory, stream);
  cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  say("kept after the launch", right && all_are(sums, 3, 7));
  cudaFree(made.memory);

  clear();
  made = by_hand(sums, false, false);
  ready = instantiate(made.graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  for (int k = 0; k < 3; ++k) cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  cudaFree(made.memory);
  say("freed by the next launch", all_are(sums, 3, 7));
  unsigned long long used = 1, high = 0;
  cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used);
  cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high);
  std::printf("in use: %llu bytes, at most %llu\n", used, high);

  // Without an edge, nothing ensures that the memory is allocated before the kernel writes to it.
  made = by_hand(sums, true, false, false);
  cudaGraphLaunch(instantiate(made.graph), stream);
  cudaDeviceSynchronize();

  made = by_hand(sums, true, true);
  cudaGraphLaunch(instantiate(made.graph), stream);
  cudaDeviceSynchronize();
  return failures;
}
