// covers: functions | malloc, free, new and delete in kernels; cudaLimitMallocHeapSize
// with: --api-errors off

#include <cstdio>

struct node {
  int value;
  node* next;
};

__device__ node* first;

// Builds a list that outlives the kernel.
__global__ void build(int n) {
  for (int k = 0; k < n; ++k) first = new node{k, first};
}

__global__ void add_up(int* sum) {
  int total = 0;
  for (node* here = first; here != nullptr;) {
    total += here->value;
    node* next = here->next;
    delete here;
    here = next;
  }
  *sum = total;
}

// Each thread allocates its own memory.
__global__ void scratch(int* sums) {
  int* mine = static_cast<int*>(malloc(8 * sizeof(int)));
  for (int k = 0; k < 8; ++k) mine[k] = threadIdx.x + k;
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += mine[k];
  free(mine);
  free(nullptr);
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void too_much(int* got) {
  char* some = static_cast<char*>(malloc(3 << 20));
  char* more = static_cast<char*>(malloc(3 << 20));
  got[0] = some != nullptr;
  got[1] = more != nullptr;
  free(some);
  free(more);
}

int main() {
  int* out;
  cudaMallocManaged(&out, 128 * sizeof(int));
  if (cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20) != cudaSuccess) return 5;
  build<<<1, 1>>>(10);
  add_up<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  if (out[0] != 45) return 1;
  scratch<<<4, 32>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 128; ++i) {
    if (out[i] != 8 * (i % 32) + 28) return 2;
  }
  too_much<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  if (out[0] != 1 || out[1] != 0) return 3;
  // The size can no longer be set, because a kernel has used the heap.
  if (cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20) != cudaErrorInvalidValue) return 4;
  cudaGetLastError();
  cudaFree(out);
  return 0;
}
