// covers: host | a kernel before the default stream waits for one queued after it: both, and the host's call
// status: 86
// finding: Deadlock
// says: free: 702

#include <cstdio>

#include <cuda_runtime.h>

__global__ void wait(const volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void set(volatile int* flag) {
  *flag = 1;
}

int main() {
  int* flag = nullptr;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  cudaDeviceSynchronize();
  cudaStream_t own;
  cudaStreamCreate(&own);
  wait<<<1, 1>>>(flag);
  set<<<1, 1, 0, own>>>(flag);
  std::printf("free: %d\n", static_cast<int>(cudaFree(flag)));
  return 0;
}
