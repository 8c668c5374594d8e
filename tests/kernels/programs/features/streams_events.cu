// covers: host | streams and events in order, asynchronous copies, callbacks

#include <cstdio>

__global__ void add_one(int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += 1;
}

static void CUDART_CB note(void* where) {
  *static_cast<int*>(where) += 1;
}

int main() {
  const int n = 256;
  int *host, *device, notes = 0;
  cudaMallocHost(&host, n * sizeof(int));
  cudaMalloc(&device, n * sizeof(int));
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t begin, copied, end;
  cudaEventCreate(&begin);
  cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
  cudaEventCreate(&end);

  cudaEventRecord(begin, first);
  cudaMemcpyAsync(device, host, n * sizeof(int), cudaMemcpyHostToDevice, first);
  cudaEventRecord(copied, first);
  cudaStreamWaitEvent(second, copied, 0);
  add_one<<<4, 64, 0, second>>>(device, n);
  cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, second);
  cudaLaunchHostFunc(second, note, &notes);
  cudaEventRecord(end, second);
  if (cudaEventSynchronize(end) != cudaSuccess || cudaStreamSynchronize(second) != cudaSuccess) return 2;
  if (cudaStreamQuery(first) != cudaSuccess || cudaEventQuery(end) != cudaSuccess) return 3;
  float ms = -1.0f;
  if (cudaEventElapsedTime(&ms, begin, end) != cudaSuccess || ms < 0.0f) return 4;
  for (int i = 0; i < n; ++i) {
    if (host[i] != i + 1) {
      std::printf("host[%d] is %d\n", i, host[i]);
      return 1;
    }
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(copied);
  cudaEventDestroy(end);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(device);
  cudaFreeHost(host);
  return notes != 1;
}
