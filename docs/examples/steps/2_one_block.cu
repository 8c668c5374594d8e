// Step 2: some threads of a block print.

#include <cstdio>

__global__ void say_number() {
  const unsigned tid = threadIdx.x;
  if (tid % 16 == 0) printf("thread %2u: warp %u, lane %2u\n", tid, tid / 32, tid % 32);
}

int main() {
  say_number<<<1, 64>>>();
  cudaDeviceSynchronize();
}
