// covers: device library | printf in kernels
// says: block 0 thread 0: 0.00 x 100% sixteen 0x10
// says: block 1 thread 1: 1.50 x 100% sixteen 0x10
// says: 12345678901

#include <cstdio>

__global__ void speak() {
  std::printf("block %d thread %d: %.2f %c 100%% %s %#x\n", blockIdx.x, threadIdx.x, 1.5 * threadIdx.x, 'x', "sixteen",
              16);
  if (blockIdx.x == 1 && threadIdx.x == 1) std::printf("%lld\n", 12345678901LL);
}

int main() {
  speak<<<2, 2>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
