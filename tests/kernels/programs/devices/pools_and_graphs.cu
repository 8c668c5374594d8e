// covers: devices | memory pools on each device, access to them, and a graph whose nodes belong to two devices
// gpus: 2
// says: memory of the second device's pool: right
// says: read by the first: right
// says: a pool of its own: right
// says: a graph over both: right
// says: captured over both: right

#include <cstdio>

#define CHECK(call)                                                             \
  if (cudaError_t error = (call); error != cudaSuccess) {                       \
    std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error)); \
    return 1;                                                                   \
  }

constexpr int n = 512;
__device__ int scale = 1;

__global__ void fill(int* to, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = (first + 3 * i) * scale;  // each device has its own variable
}

__global__ void add(int* to, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] += from[i];
}

int device_of(const void* pointer) {
  cudaPointerAttributes what;
  cudaPointerGetAttributes(&what, pointer);
  return what.device;
}

int main() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count < 2) {
    std::printf("needs two devices\n");
    return 1;
  }
  int* result;
  CHECK(cudaMallocHost(&result, n * sizeof(int)));
  cudaStream_t streams[2];
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamCreate(&streams[device]));
    const int its_scale = device == 0 ? 1 : 10;
    CHECK(cudaMemcpyToSymbol(scale, &its_scale, sizeof its_scale));
  }
  // The stream, not the current device, determines whose pool is used.
  CHECK(cudaSetDevice(1));
  int *here, *there;
  CHECK(cudaMallocAsync(&there, n * sizeof(int), streams[1]));
  fill<<<n / 128, 128, 0, streams[1]>>>(there, 5);
  CHECK(cudaMemcpyAsync(result, there, n * sizeof(int), cudaMemcpyDeviceToHost, streams[1]));
  CHECK(cudaStreamSynchronize(streams[1]));
  int wrong = device_of(there) != 1;
  for (int i = 0; i < n; ++i) wrong += result[i] != 10 * (5 + 3 * i);
  std::printf("memory of the second device's pool: %s\n", wrong == 0 ? "right" : "wrong");

  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 1));
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = 0;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CHECK(cudaMemPoolSetAccess(pool, &access, 1));
  CHECK(cudaSetDevice(0));
  CHECK(cudaMallocAsync(&here, n * sizeof(int), streams[0]));
  fill<<<n / 128, 128, 0, streams[0]>>>(here, 7);
  add<<<n / 128, 128, 0, streams[0]>>>(here, there);
  CHECK(cudaMemcpyAsync(result, here, n * sizeof(int), cudaMemcpyDeviceToHost, streams[0]));
  CHECK(cudaStreamSynchronize(streams[0]));
  for (int i = 0; i < n; ++i) wrong += result[i] != 7 + 3 * i + 10 * (5 + 3 * i);
  std::printf("read by the first: %s\n", wrong == 0 ? "right" : "wrong");

  cudaMemPoolProps wanted = {};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location.type = cudaMemLocationTypeDevice;
  wanted.location.id = 1;
  cudaMemPool_t own;
  CHECK(cudaMemPoolCreate(&own, &wanted));
  int* from_own;
  CHECK(cudaMallocFromPoolAsync(&from_own, 1000, own, streams[1]));
  unsigned long long used = 0;
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
  cudaMemAccessFlags flags;
  CHECK(cudaMemPoolGetAccess(&flags, own, &access.location));
  wrong += device_of(from_own) != 1 || used < 1000 || flags != cudaMemAccessFlagsProtNone;
  CHECK(cudaFreeAsync(from_own, streams[1]));
  CHECK(cudaStreamSynchronize(streams[1]));
  CHECK(cudaMemPoolDestroy(own));
  std::printf("a pool of its own: %s\n", wrong == 0 ? "right" : "wrong");

  // A kernel node belongs to the device that is current when it is added.
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t nodes[3];
  int first = 11;
  int* whose[2] = {here, there};
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    void* arguments[] = {&whose[device], &first};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(fill);
    kernel.gridDim = dim3(n / 128);
    kernel.blockDim = dim3(128);
    kernel.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&nodes[device], graph, nullptr, 0, &kernel));
  }
  CHECK(cudaSetDevice(0));
  void* arguments[] = {&here, &there};
  cudaKernelNodeParams sum = {};
  sum.func = reinterpret_cast<void*>(add);
  sum.gridDim = dim3(n / 128);
  sum.blockDim = dim3(128);
  sum.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&nodes[2], graph, nodes, 2, &sum));
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphLaunch(ready, streams[0]));
  CHECK(cudaMemcpyAsync(result, here, n * sizeof(int), cudaMemcpyDeviceToHost, streams[0]));
  CHECK(cudaStreamSynchronize(streams[0]));
  for (int i = 0; i < n; ++i) wrong += result[i] != 11 * (11 + 3 * i);
  std::printf("a graph over both: %s\n", wrong == 0 ? "right" : "wrong");

  cudaEvent_t fork, join;
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaSetDevice(1));
  CHECK(cudaEventCreate(&join));
  CHECK(cudaSetDevice(0));
  cudaGraph_t captured;
  CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(fork, streams[0]));
  CHECK(cudaStreamWaitEvent(streams[1], fork));
  fill<<<n / 128, 128, 0, streams[0]>>>(here, 2);
  CHECK(cudaSetDevice(1));
  fill<<<n / 128, 128, 0, streams[1]>>>(there, 4);
  CHECK(cudaEventRecord(join, streams[1]));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamWaitEvent(streams[0], join));
  add<<<n / 128, 128, 0, streams[0]>>>(here, there);
  CHECK(cudaStreamEndCapture(streams[0], &captured));
  cudaGraphExec_t again;
  CHECK(cudaGraphInstantiate(&again, captured, 0));
  CHECK(cudaGraphLaunch(again, streams[0]));
  CHECK(cudaMemcpyAsync(result, here, n * sizeof(int), cudaMemcpyDeviceToHost, streams[0]));
  CHECK(cudaStreamSynchronize(streams[0]));
  for (int i = 0; i < n; ++i) wrong += result[i] != 2 + 3 * i + 10 * (4 + 3 * i);
  std::printf("captured over both: %s\n", wrong == 0 ? "right" : "wrong");
  CHECK(cudaFreeAsync(here, streams[0]));
  CHECK(cudaFreeAsync(there, streams[1]));
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaDeviceSynchronize());
  }
  return wrong;
}
