// covers: functions | endless recursion: an error that explains it
// status: 1
// finding: recursion is too deep

#include <cstdio>

__device__ int deeper(int n, int* out) {
  return n < 0 ? 0 : deeper(n + 1, out) * 3 + out[n & 1];
}

__global__ void run(int* out) {
  out[threadIdx.x] = deeper(threadIdx.x, out);
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(out, 0, 32 * sizeof(int));
  run<<<1, 32>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
