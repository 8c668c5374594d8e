// covers: host | memory is freed in one stream while a kernel in another one polls it: use after free, with its line
// status: 86
// finding: that has been freed: inside allocation 1 (4 bytes)
// says: looked: 700

#include <cstdio>

#include <cuda_runtime.h>

__global__ void wait(const volatile int* flag) {
  while (*flag == 0) {
  }
}

int main() {
  cudaStream_t looking, freeing;
  cudaStreamCreate(&looking);
  cudaStreamCreate(&freeing);
  int* flag = nullptr;
  cudaMallocAsync(&flag, sizeof(int), freeing);
  cudaMemsetAsync(flag, 0, sizeof(int), freeing);
  cudaStreamSynchronize(freeing);
  wait<<<1, 1, 0, looking>>>(flag);
  cudaFreeAsync(flag, freeing);
  std::printf("looked: %d\n", static_cast<int>(cudaStreamSynchronize(looking)));
  return 0;
}
