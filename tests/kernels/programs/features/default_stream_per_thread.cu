// covers: host | with --default-stream per-thread, each host thread has its own default stream
// with: --default-stream per-thread
// status: 0
// says: found: 1

#include <cstdio>
#include <thread>

#include <cuda_runtime.h>

__global__ void wait(const volatile int* flag, int* found) {
  while (*flag == 0) {
  }
  *found = 1;
}

__global__ void set(volatile int* flag) {
  *flag = 1;
}

int main() {
  int *flag = nullptr, *found = nullptr;
  cudaMalloc(&flag, sizeof(int));
  cudaMalloc(&found, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  cudaDeviceSynchronize();
  wait<<<1, 1>>>(flag, found);
  std::thread([=] { set<<<1, 1>>>(flag); }).join();
  cudaStreamSynchronize(nullptr);
  int host = 0;
  cudaMemcpy(&host, found, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("found: %d\n", host);
  return 0;
}
