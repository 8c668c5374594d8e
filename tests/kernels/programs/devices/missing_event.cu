// covers: devices | a copy on one device and a kernel on another use the same bytes, with and without an event
// gpus: 7
// status: 86
// finding: kernel add_one(int*) writes byte 0 of allocation 1 (128 bytes), which cudaMemcpyPeerAsync in line

#include <cstdio>

__global__ void add_one(int* values) {
  values[threadIdx.x] += 1;
}

int main() {
  int *to, *from;
  cudaStream_t copies, kernels;
  cudaSetDevice(6);
  cudaMalloc(&to, 128);
  cudaStreamCreate(&kernels);
  cudaSetDevice(0);
  cudaMalloc(&from, 128);
  cudaMemset(from, 0, 128);
  cudaDeviceSynchronize();
  cudaStreamCreate(&copies);
  cudaEvent_t copied;
  cudaEventCreate(&copied);

  cudaMemcpyPeerAsync(to, 6, from, 0, 128, copies);
  cudaEventRecord(copied, copies);
  cudaSetDevice(6);
  cudaStreamWaitEvent(kernels, copied, 0);
  add_one<<<1, 32, 0, kernels>>>(to);
  cudaDeviceSynchronize();

  cudaMemcpyPeerAsync(to, 6, from, 0, 128, copies);
  add_one<<<1, 32, 0, kernels>>>(to);
  cudaDeviceSynchronize();
}
