#include <cstdio>
__global__ void races(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
int main() {
  int* out;
  cudaMalloc(&out, 100 * sizeof(int));
  races<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}
