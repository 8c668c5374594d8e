// covers: host | cudaStreamPerThread is a different stream for each host thread
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
  wait<<<1, 1, 0, cudaStreamPerThread>>>(flag, found);
  std::thread([=] { set<<<1, 1, 0, cudaStreamPerThread>>>(flag); }).join();
  cudaStreamSynchronize(cudaStreamPerThread);
  int host = 0;
  cudaMemcpy(&host, found, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("found: %d\n", host);
  return 0;
}
