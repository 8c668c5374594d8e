// covers: host | streams that share data in order: halves, events, default stream, host, atomics: no finding
// says: 4096 of 4096 right

#include <cstdio>

__global__ void add_one(int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += 1;
}

__global__ void count(int* total) {
  atomicAdd(total, 1);
}

// Adds to every second element. Two such kernels share each sector, but no byte.
__global__ void add_to_every_second(int* values, int n, int from) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + from;
  if (i < n) values[i] += 1;
}

int main() {
  const int n = 4096;
  int *host, *values, *total;
  cudaMallocHost(&host, n * sizeof(int));
  cudaMalloc(&values, n * sizeof(int));
  cudaMallocManaged(&total, sizeof(int));
  for (int i = 0; i < n; ++i) host[i] = i;
  *total = 0;
  cudaStream_t stream[2], free_running;
  for (cudaStream_t& s : stream) cudaStreamCreate(&s);
  cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking);
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);

  // Each stream has its own half: copy, work, copy back.
  for (int k = 0; k < 2; ++k) {
    int* half = values + k * n / 2;
    cudaMemcpyAsync(half, host + k * n / 2, n * sizeof(int) / 2, cudaMemcpyHostToDevice, stream[k]);
    add_one<<<8, 256, 0, stream[k]>>>(half, n / 2);
    count<<<2, 64, 0, stream[k]>>>(total);
  }
  // The default stream waits for both streams, and they wait for it.
  add_one<<<16, 256>>>(values, n);
  for (int k = 0; k < 2; ++k) add_to_every_second<<<8, 256, 0, stream[k]>>>(values, n, k);
  // A stream that doesn't wait for the default stream waits for events.
  for (int k = 0; k < 2; ++k) {
    cudaEventRecord(event, stream[k]);
    cudaStreamWaitEvent(free_running, event);
  }
  add_one<<<16, 256, 0, free_running>>>(values, n);
  cudaMemcpyAsync(host, values, n * sizeof(int), cudaMemcpyDeviceToHost, free_running);
  cudaStreamSynchronize(free_running);
  // The host has waited, so any stream may continue.
  add_one<<<16, 256, 0, stream[1]>>>(values, n);
  while (cudaStreamQuery(stream[1]) != cudaSuccess) {
  }
  add_one<<<16, 256, 0, free_running>>>(values, n);
  cudaDeviceSynchronize();
  int pageable[16];
  add_one<<<16, 256, 0, stream[0]>>>(values, n);
  cudaMemcpyAsync(pageable, values, sizeof(pageable), cudaMemcpyDeviceToHost, stream[0]);
  // A copy to memory that isn't pinned is complete when the call returns, and so is all work before it in the stream.
  add_one<<<16, 256, 0, free_running>>>(values, n);
  cudaDeviceSynchronize();
  int right = 0;
  for (int i = 0; i < n; ++i) right += host[i] == i + 4;
  printf("%d of %d right\n", right, n);
  return right == n && *total == 256 && pageable[0] == 7 ? 0 : 1;
}
