// covers: device library | deadlocks: a flag that is never set, a skipped grid.sync(), too large a grid, two locks
// status: 86
// finding: blocks 0-7 wait in deadlocks.cu:19 for ready[0]; 8 others have ended
// finding: blocks 1-15 wait at the grid's barrier in deadlocks.cu:29; block 0 has ended
// finding: blocks 0-263 wait in deadlocks.cu:36 for turn[1]; 1 block cannot start before one of them ends
// finding: block 0 waits in deadlocks.cu:47 for lock[1]; block 1 waits in deadlocks.cu:47 for lock[0]
// finding: the block waits forever for what no thread is left to do: block 0 waits in deadlocks.cu:58 for full
// says: cudaErrorLaunchTimeout cudaErrorLaunchTimeout cudaErrorLaunchTimeout cudaErrorLaunchTimeout
// says: cudaErrorLaunchTimeout

#include <cooperative_groups.h>

#include <cstdio>

// Blocks 8 to 15 do not wait, and the flag is never set.
__global__ void flag(volatile int* ready, int* out) {
  if (blockIdx.x < 8) {
    if (threadIdx.x == 0) {
      while (ready[0] == 0) {
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

__global__ void skips(int* out) {
  if (blockIdx.x == 0) return;
  cooperative_groups::this_grid().sync();
  out[blockIdx.x] = 1;
}

// Each block waits for the next one, but the last block does not fit on the device at the same time.
__global__ void backwards(volatile int* turn) {
  if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x) {
    while (turn[blockIdx.x + 1] == 0) {
    }
  }
  if (threadIdx.x == 0) turn[blockIdx.x] = 1;
}

// Two blocks take two locks in different orders, and wait until both blocks have their first lock.
__global__ void locks(int* lock, int* both) {
  for (int k = 0; k < 2; ++k) {
    int* mine = &lock[(blockIdx.x + k) % 2];
    // The block polls a lock that it cannot get.
    while (atomicCAS(mine, 0, 1) != 0) {
    }
    if (k == 0) {
      atomicAdd(both, 1);
      while (atomicAdd(both, 0) < 2) {
      }
    }
  }
}

__device__ void wait_for(volatile int* full) {
  while (*full == 0) {
  }
}

// The second warp would set the flag after the barrier.
__global__ void behind_a_barrier(int* out) {
  __shared__ int full;
  if (threadIdx.x == 0) full = 0;
  __syncthreads();
  if (threadIdx.x == 0) wait_for(&full);
  __syncthreads();
  if (threadIdx.x == 32) full = 1;
  out[threadIdx.x] = full;
}

int main() {
  for (int k = 0; k < 5; ++k) {
    int* words;
    cudaMalloc(&words, 4096);
    cudaMemset(words, 0, 4096);
    if (k == 0) flag<<<16, 64>>>(words, words + 16);
    if (k == 1) {
      void* arguments[] = {&words};
      cudaLaunchCooperativeKernel(skips, 16, 64, arguments, 0, nullptr);
    }
    if (k == 2) backwards<<<265, 1024>>>(words);
    if (k == 3) locks<<<2, 1>>>(words, words + 16);
    if (k == 4) behind_a_barrier<<<1, 64>>>(words);
    printf("%s%s", cudaGetErrorName(cudaDeviceSynchronize()), k == 4 ? "\n" : " ");
    cudaDeviceReset();
  }
  return 0;
}
