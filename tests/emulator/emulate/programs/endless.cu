// The kernel never ends unless it is stopped.
#include <cstdio>

__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}

int main() {
  int* device = nullptr;
  cudaMalloc(&device, sizeof *device);
  cudaMemset(device, 0, sizeof *device);
  wait_for<<<1, 1>>>(device);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
