// covers: device library | blocks of an ordinary grid that wait for each other, if all of them fit on the device
// says: the last block's number: 999
// says: every second block has ended: yes
// says: each waited for both neighbours: yes
// Block b waits for block b + 1, which starts later, so the first block can end only after the last one has run.

#include <cstdio>

__global__ void backwards(volatile int* turn, int* order) {
  const int b = blockIdx.x, last = gridDim.x - 1;
  if (threadIdx.x == 0) {
    if (b != last) {
      while (turn[b + 1] == 0) {
      }
    }
    __threadfence();
    order[b] = b == last ? 999 : order[b + 1];
    __threadfence();
    turn[b] = 1;
  }
}

// Blocks that wait alternate with blocks that end at once.
__global__ void every_second(volatile int* turn, int* order) {
  const int b = blockIdx.x;
  if (threadIdx.x != 0) return;
  if (b % 2 == 1) {
    while (turn[b + 1] == 0) {
    }
  }
  __threadfence();
  order[b] = 1;
  __threadfence();
  turn[b] = 1;
}

// A hand-written barrier of all blocks, three times in a row. The grid has as many blocks as the device runs at a time.
__global__ void neighbours(unsigned* arrived, int* value, int* right) {
  const int b = blockIdx.x, n = gridDim.x;
  for (unsigned round = 1; round <= 3; ++round) {
    if (threadIdx.x == 0) value[b] += b;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrived, 1u);
      while (atomicAdd(arrived, 0u) < round * n) {
      }
      __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      const int l = (b + n - 1) % n, r = (b + 1) % n;
      right[b] = value[l] == static_cast<int>(round) * l && value[r] == static_cast<int>(round) * r;
      __threadfence();
      atomicAdd(arrived + 1, 1u);
      while (atomicAdd(arrived + 1, 0u) < round * n) {
      }
    }
    __syncthreads();
  }
}

int main() {
  constexpr int blocks = 40;
  int *turn, *order;
  cudaMallocManaged(&turn, blocks * sizeof(int));
  cudaMallocManaged(&order, blocks * sizeof(int));
  for (int b = 0; b < blocks; ++b) turn[b] = order[b] = 0;
  backwards<<<blocks, 64>>>(turn, order);
  cudaDeviceSynchronize();
  printf("the last block's number: %d\n", order[0]);

  for (int b = 0; b < blocks; ++b) turn[b] = order[b] = 0;
  every_second<<<blocks - 1, 64>>>(turn, order);
  cudaDeviceSynchronize();
  int ended = 0;
  for (int b = 0; b < blocks; ++b) ended += order[b];
  printf("every second block has ended: %s\n", ended == blocks - 1 ? "yes" : "no");

  int multiprocessors, on_each;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, neighbours, 1024, 0);
  const int n = multiprocessors * on_each;
  unsigned* arrived;
  int *value, *right;
  cudaMallocManaged(&arrived, 2 * sizeof(unsigned));
  cudaMallocManaged(&value, n * sizeof(int));
  cudaMallocManaged(&right, n * sizeof(int));
  arrived[0] = arrived[1] = 0;
  for (int b = 0; b < n; ++b) value[b] = right[b] = 0;
  neighbours<<<n, 1024>>>(arrived, value, right);
  cudaDeviceSynchronize();
  bool all = true;
  for (int b = 0; b < n; ++b) all = all && right[b] == 1;
  printf("each waited for both neighbours: %s\n", all ? "yes" : "no");
  return all && ended == blocks - 1 ? 0 : 1;
}
