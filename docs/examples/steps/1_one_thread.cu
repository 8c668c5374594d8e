// Step 1: one thread prints.

#include <cstdio>

__global__ void say_hello() {
  printf("Hello from thread %u.\n", threadIdx.x);
}

int main() {
  printf("The CPU launches the kernel.\n");
  say_hello<<<1, 1>>>();
  cudaDeviceSynchronize();
  printf("The kernel has ended.\n");
}
