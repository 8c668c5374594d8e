// covers: functions | a counter that a kernel resets with a plain store but increments with atomics: a race
// status: 86
// finding: sum[0] is changed by an atomic of block 1 in store_beside_atomic.cu:13
// finding: sum[0] is changed by an atomic of thread 32 in store_beside_atomic.cu:19
// checks: memcheck,racecheck

#include <cuda_runtime.h>

// Faster blocks may already have added to the sum.
__global__ void by_blocks(int* sum) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *sum = 0;
  __syncthreads();
  atomicAdd(sum, 1);
}

// The same, but with the warps of one block.
__global__ void by_warps(int* sum) {
  if (threadIdx.x == 0) *sum = 0;
  atomicAdd(sum, 1);
}

// There is no race, because there is one block, and a barrier separates the store from the additions.
__global__ void in_order(int* sum) {
  if (threadIdx.x == 0) *sum = 0;
  __syncthreads();
  atomicAdd(sum, 1);
}

int main() {
  int* sum;
  cudaMalloc(&sum, sizeof *sum);
  by_blocks<<<4, 64>>>(sum);
  by_warps<<<1, 64>>>(sum);
  in_order<<<1, 64>>>(sum);
  cudaDeviceSynchronize();
  cudaFree(sum);
}
