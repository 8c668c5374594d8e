// covers: host | graph nodes without an edge, and pool memory allocated or freed in a different stream, by line
// status: 86
// says: a graph with its edges: right
// says: in use of the pool: 0 bytes
// finding: kernel scale(int*, int) writes byte 0 of allocation 1 (4100 bytes), which kernel add(int*, int) in line 36
// finding: kernel scale(int*, int) writes byte 0 of allocation 2 (4096 bytes), which kernel add(int*, int) in line 36
// finding: kernel add(int*, int) writes byte 0 of allocation 2 (4096 bytes), which kernel add(int*, int)
// finding: cudaMemsetAsync writes byte 0 of allocation 4 (4096 bytes), which cudaMallocAsync in line 79 allocates
// finding: cudaFreeAsync frees byte 0 of allocation 5 (4096 bytes), which cudaMallocAsync in line 86 allocates

#include <cstdio>

__global__ void add(int* values, int summand) {
  values[blockIdx.x * blockDim.x + threadIdx.x] += summand;
}

__global__ void scale(int* values, int factor) {
  values[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

// Returns a graph of two kernels on the same array, with an edge between them or without.
cudaGraphExec_t make_graph(int* values, bool with_edge) {
  static int three = 3, five = 5;
  void* first_arguments[] = {&values, &three};
  void* second_arguments[] = {&values, &five};
  cudaKernelNodeParams first = {}, second = {};
  first.func = reinterpret_cast<void*>(add);
  second.func = reinterpret_cast<void*>(scale);
  first.gridDim = second.gridDim = dim3(4);
  first.blockDim = second.blockDim = dim3(256);
  first.kernelParams = first_arguments;
  second.kernelParams = second_arguments;
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t one, other;
  cudaGraphAddKernelNode(&one, graph, nullptr, 0, &first);
  cudaGraphAddKernelNode(&other, graph, &one, with_edge ? 1 : 0, &second);
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphDestroy(graph);
  return ready;
}

int main() {
  const int n = 1024;
  int *values, *host;
  // The program has not created a stream yet, but the graph's own nodes are unordered anyway.
  cudaMalloc(&values, n * sizeof(int) + 4);
  cudaMemset(values, 0, n * sizeof(int) + 4);
  cudaGraphLaunch(make_graph(values, false), nullptr);
  cudaDeviceSynchronize();
  cudaFree(values);

  cudaMalloc(&values, n * sizeof(int));
  cudaMallocHost(&host, n * sizeof(int));
  for (int i = 0; i < n; ++i) host[i] = 7 * i - 11;
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaMemcpyAsync(values, host, n * sizeof(int), cudaMemcpyHostToDevice, stream);
  cudaGraphExec_t ordered = make_graph(values, true), unordered = make_graph(values, false);
  for (int k = 0; k < 2; ++k) cudaGraphLaunch(ordered, stream);
  cudaMemcpyAsync(host, values, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != ((7 * i - 11 + 3) * 5 + 3) * 5;
  std::printf("a graph with its edges: %s\n", wrong == 0 ? "right" : "wrong");

  cudaGraphLaunch(unordered, stream);
  cudaDeviceSynchronize();

  // Launches the graph and, in another stream, a kernel.
  cudaGraphLaunch(ordered, stream);
  add<<<4, 256, 0, other>>>(values, 1);
  cudaDeviceSynchronize();

  // The memory is allocated in its stream's order, but the other stream does not wait for that.
  int* early;
  cudaMallocAsync(&early, n * sizeof(int), stream);
  cudaMemsetAsync(early, 0, n * sizeof(int), other);
  cudaDeviceSynchronize();
  cudaFreeAsync(early, stream);

  // The memory is freed in a stream that does not wait for the kernel.
  int* late;
  cudaMallocAsync(&late, n * sizeof(int), stream);
  cudaMemsetAsync(late, 0, n * sizeof(int), stream);
  add<<<4, 256, 0, stream>>>(late, 1);
  cudaFreeAsync(late, other);
  cudaDeviceSynchronize();

  // With an event in between, both are right.
  cudaEvent_t done;
  cudaEventCreate(&done);
  cudaMallocAsync(&late, n * sizeof(int), stream);
  cudaMemsetAsync(late, 0, n * sizeof(int), stream);
  cudaEventRecord(done, stream);
  cudaStreamWaitEvent(other, done);
  add<<<4, 256, 0, other>>>(late, 1);
  cudaFreeAsync(late, other);
  cudaDeviceSynchronize();

  // cudaFree also returns the memory to its pool.
  cudaMallocAsync(&late, n * sizeof(int), stream);
  cudaStreamSynchronize(stream);
  cudaFree(late);
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  unsigned long long used = 1;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  std::printf("in use of the pool: %llu bytes\n", used);
  return wrong;
}
