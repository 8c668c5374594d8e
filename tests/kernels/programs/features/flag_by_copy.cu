// covers: host | a kernel polls a word that a copy or memset of another stream writes: no race; two copies race
// status: 86
// finding: cudaMemcpyAsync writes byte 0 of allocation 2 (4 bytes), which cudaMemcpyAsync in line 46 writes
// says: filled: 5, copied: 6

#include <cstdio>

#include <cuda_runtime.h>

/// Waits until `flag` is `wanted`, and stores the value that `data` has then in `out`.
__global__ void wait(const volatile int* flag, int wanted, const int* data, int* out) {
  while (*flag != wanted) {
  }
  __threadfence();
  *out = *data;
}

int main() {
  int *flag = nullptr, *data = nullptr, *out = nullptr, *host = nullptr;
  cudaMalloc(&flag, sizeof(int));
  cudaMalloc(&data, sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMallocHost(&host, 4 * sizeof(int));
  cudaStream_t waiting, bringing;
  for (cudaStream_t* s : {&waiting, &bringing}) cudaStreamCreateWithFlags(s, cudaStreamNonBlocking);
  cudaMemset(flag, 0, sizeof(int));
  cudaDeviceSynchronize();

  host[0] = 5;
  wait<<<1, 1, 0, waiting>>>(flag, 0x01010101, data, out);
  cudaMemcpyAsync(data, host, sizeof(int), cudaMemcpyHostToDevice, bringing);
  cudaMemsetAsync(flag, 1, sizeof(int), bringing);
  cudaDeviceSynchronize();
  cudaMemcpy(host + 1, out, sizeof(int), cudaMemcpyDeviceToHost);

  host[0] = 6;
  host[2] = 2;
  wait<<<1, 1, 0, waiting>>>(flag, 2, data, out);
  cudaMemcpyAsync(data, host, sizeof(int), cudaMemcpyHostToDevice, bringing);
  cudaMemcpyAsync(flag, host + 2, sizeof(int), cudaMemcpyHostToDevice, bringing);
  cudaDeviceSynchronize();
  cudaMemcpy(host + 3, out, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("filled: %d, copied: %d\n", host[1], host[3]);

  // Nothing orders the two copies.
  cudaMemcpyAsync(data, host, sizeof(int), cudaMemcpyHostToDevice, bringing);
  cudaMemcpyAsync(data, host + 2, sizeof(int), cudaMemcpyHostToDevice, waiting);
  cudaDeviceSynchronize();
  return 0;
}
