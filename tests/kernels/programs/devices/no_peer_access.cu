// covers: devices | a kernel reads another device's memory without peer access: the line, the owner, the missing call
// gpus: 2
// status: 86
// finding: it is inside allocation 1 (128 bytes) of device 0, and the kernel runs on device 1
// says: cudaErrorIllegalAddress

#include <cstdio>

__global__ void read(const int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

int main() {
  int *there, *here;
  cudaMalloc(&there, 32 * sizeof(int));
  cudaMemset(there, 0, 32 * sizeof(int));
  cudaDeviceSynchronize();
  cudaSetDevice(1);
  cudaMalloc(&here, 32 * sizeof(int));
  read<<<1, 32>>>(there, here);
  std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
