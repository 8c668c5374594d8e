// Ends in a way that lets nothing be written: no handler of exit() runs.

#include <unistd.h>

__global__ void store(int* to) {
  to[threadIdx.x] = 1;
}

int main() {
  int* to = nullptr;
  cudaMalloc(&to, 32 * sizeof(int));
  store<<<1, 32>>>(to);
  cudaDeviceSynchronize();
  _exit(0);
}
