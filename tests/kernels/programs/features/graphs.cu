// covers: host | CUDA graphs: captured from streams that fork and join, built by hand, changed, launched many times
// with: --api-errors off

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                 \
  do {                                                                              \
    cudaError_t error = (call);                                                     \
    if (error != cudaSuccess) {                                                     \
      std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error)); \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (0)
#define EXPECT(condition)                                         \
  do {                                                            \
    if (!(condition)) {                                           \
      std::printf("line %d: not so: %s\n", __LINE__, #condition); \
      std::exit(1);                                               \
    }                                                             \
  } while (0)

constexpr int n = 1000;

__global__ void scale_and_add(float* x, float factor, float summand, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) x[i] = factor * x[i] + summand;
}

__global__ void add(float* sum, const float* a, const float* b, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sum[i] = a[i] + b[i];
}

void count_calls(void* counter) {
  ++*static_cast<int*>(counter);
}

// 20 short kernels are captured in one graph, which is launched 10 times. Each launch adds 20 to each element. The
// kernels do not run while they are captured, and each keeps the arguments that it was given then.
void capture_many_launches(float* x) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemset(x, 0, n * sizeof(float)));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int k = 0; k < 20; ++k) {
    float summand = k % 2 == 0 ? 3.0f : -1.0f;  // 10 times 3, 10 times -1
    scale_and_add<<<8, 128, 0, stream>>>(x, 1.0f, summand, n);
  }
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  size_t nodes = 0, roots = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT(nodes == 20 && roots == 1);

  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  float first = -1.0f;
  CHECK(cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost));
  EXPECT(first == 0.0f);
  for (int k = 0; k < 10; ++k) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::vector<float> result(n);
  CHECK(cudaMemcpy(result.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (float value : result) EXPECT(value == 200.0f);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaStreamDestroy(stream));
}

// Captures two streams joined by events: copy in, fork, two kernels, join, add, copy out, call a host function.
void capture_fork_and_join(float* a, float* b) {
  cudaStream_t stream, side;
  cudaEvent_t forked, joined;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&side));
  CHECK(cudaEventCreate(&forked));
  CHECK(cudaEventCreate(&joined));
  std::vector<float> in(n), out(n);
  int calls = 0;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpyAsync(a, in.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
  CHECK(cudaEventRecord(forked, stream));
  CHECK(cudaStreamWaitEvent(side, forked, 0));
  CHECK(cudaMemsetAsync(b, 0, n * sizeof(float), side));
  scale_and_add<<<8, 128, 0, side>>>(b, 1.0f, 7.0f, n);    // b = 7
  scale_and_add<<<8, 128, 0, stream>>>(a, 2.0f, 0.0f, n);  // a = 2 in
  CHECK(cudaEventRecord(joined, side));
  CHECK(cudaStreamWaitEvent(stream, joined, 0));
  add<<<8, 128, 0, stream>>>(a, a, b, n);  // a = 2 in + 7
  CHECK(cudaMemcpyAsync(out.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaLaunchHostFunc(stream, count_calls, &calls));
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0, roots = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT(nodes == 7 && roots == 1 && calls == 0);
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int k = 1; k <= 3; ++k) {
    for (int i = 0; i < n; ++i) in[i] = static_cast<float>(k * i % 100 - 50);
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) EXPECT(out[i] == 2 * in[i] + 7);
    EXPECT(calls == k);
  }
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(forked));
  CHECK(cudaEventDestroy(joined));
  CHECK(cudaStreamDestroy(side));
  CHECK(cudaStreamDestroy(stream));
}

// Builds a graph by hand, and adds the nodes in a different order than they run in: x = 0, x = 1 x + 5, copy out.
void build_by_hand(float* x) {
  std::vector<float> out(n, -1.0f);
  int calls = 0;
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t zero, kernel, copy, tell;
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, out.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost));
  float factor = 1.0f, summand = 5.0f;
  int count = n;
  void* arguments[] = {&x, &factor, &summand, &count};
  cudaKernelNodeParams launch = {};
  launch.func = reinterpret_cast<void*>(scale_and_add);
  launch.gridDim = dim3(8);
  launch.blockDim = dim3(128);
  launch.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &launch));
  cudaMemsetParams fill = {};
  fill.dst = x;
  fill.elementSize = sizeof(float);
  fill.width = n;
  fill.height = 1;
  CHECK(cudaGraphAddMemsetNode(&zero, graph, nullptr, 0, &fill));
  cudaHostNodeParams host = {count_calls, &calls};
  CHECK(cudaGraphAddHostNode(&tell, graph, &copy, 1, &host));
  cudaGraphNode_t from[] = {zero, kernel}, to[] = {kernel, copy};
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddDependencies(graph, from, to, nullptr, 2));
#else
  CHECK(cudaGraphAddDependencies(graph, from, to, 2));
#endif
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(zero, &type));
  EXPECT(type == cudaGraphNodeTypeMemset);

  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, 0));
  CHECK(cudaDeviceSynchronize());
  for (float value : out) EXPECT(value == 5.0f);
  EXPECT(calls == 1);

  // Sets a different summand, in the executable graph only.
  summand = 8.0f;
  CHECK(cudaGraphExecKernelNodeSetParams(executable, kernel, &launch));
  CHECK(cudaGraphLaunch(executable, 0));
  CHECK(cudaDeviceSynchronize());
  for (float value : out) EXPECT(value == 8.0f);

  // The graph still has the old summand, and so does its clone, which runs twice as a child of another graph.
  cudaGraph_t clone, twice;
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphCreate(&twice, 0));
  cudaGraphNode_t first, second;
  CHECK(cudaGraphAddChildGraphNode(&first, twice, nullptr, 0, clone));
  CHECK(cudaGraphAddChildGraphNode(&second, twice, &first, 1, clone));
  cudaGraphExec_t executable_twice;
  CHECK(cudaGraphInstantiate(&executable_twice, twice, 0));
  calls = 0;
  CHECK(cudaGraphLaunch(executable_twice, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(calls == 2 && out[n - 1] == 5.0f);

  // Updates the whole executable graph from the graph.
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(executable, graph, &info));
  EXPECT(info.result == cudaGraphExecUpdateSuccess);
  CHECK(cudaGraphLaunch(executable, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(out[0] == 5.0f);
  EXPECT(cudaGraphExecUpdate(executable, twice, &info) == cudaErrorGraphExecUpdateFailure);
  EXPECT(cudaGetLastError() == cudaErrorGraphExecUpdateFailure);

  // A cycle is not allowed in a graph.
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddDependencies(graph, &copy, &zero, nullptr, 1));
#else
  CHECK(cudaGraphAddDependencies(graph, &copy, &zero, 1));
#endif
  cudaGraphExec_t none;
  EXPECT(cudaGraphInstantiate(&none, graph, 0) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGraphExecDestroy(executable_twice));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(twice));
  CHECK(cudaGraphDestroy(clone));
  CHECK(cudaGraphDestroy(graph));
}

int main() {
  float *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof(float)));
  CHECK(cudaMalloc(&b, n * sizeof(float)));
  capture_many_launches(a);
  capture_fork_and_join(a, b);
  build_by_hand(a);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  std::puts("ok");
  return 0;
}
