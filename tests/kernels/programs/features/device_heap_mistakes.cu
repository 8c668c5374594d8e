// covers: functions | mistakes with malloc and free in kernels: use after free, double free, free of other memory
// status: 86
// finding: Thread 0 reads memory in device_heap_mistakes.cu:22 that has been freed: inside allocation
// finding: Thread 5 reads memory in device_heap_mistakes.cu:28 that has been freed: inside allocation
// finding: Thread 0 frees memory in device_heap_mistakes.cu:34 that has been freed: inside allocation
// finding: Thread 3 frees in device_heap_mistakes.cu:38 what malloc() or new in a kernel did not give: it is inside
// finding: in device_heap_mistakes.cu:44 what malloc() or new in a kernel did not give: it is shared memory
// finding: in device_heap_mistakes.cu:49 what malloc() or new in a kernel did not give: it is inside
// finding: the source is memory from malloc() in a kernel, which no call of the host can reach
// finding: it is inside allocation

#include <cstdio>

__device__ int* kept;

// The pointer was valid until the free().
__global__ void use_after_free(int* out) {
  int* own = static_cast<int*>(malloc(64));
  own[3] = 5;
  *out = own[3];
  free(own);
  *out = own[3];
}

__global__ void use_of_another_block(int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) free(kept);
  __syncthreads();
  if (threadIdx.x == 5) out[blockIdx.x] = kept[0];
}

__global__ void free_twice() {
  int* own = new int[4];
  delete[] own;
  delete[] own;
}

__global__ void free_of_the_hosts(int* out) {
  if (threadIdx.x == 3) free(out);
}

__global__ void free_shared() {
  __shared__ int tile[4];
  tile[0] = 1;
  free(tile);
}

__global__ void free_inside() {
  char* own = static_cast<char*>(malloc(64));
  free(own + 4);
}

__global__ void keep() {
  kept = static_cast<int*>(malloc(64));
  kept[0] = 7;
}

int* memory;

// Resets the device, because a kernel that faults leaves an error that only a reset clears, and allocates again.
void begin_again() {
  cudaDeviceSynchronize();
  cudaDeviceReset();
  cudaMallocManaged(&memory, 64);
}

int main() {
  begin_again();
  use_after_free<<<1, 1>>>(memory);
  begin_again();
  keep<<<1, 1>>>();
  use_of_another_block<<<64, 32>>>(memory);
  begin_again();
  free_twice<<<1, 1>>>();
  begin_again();
  free_of_the_hosts<<<1, 32>>>(memory);
  begin_again();
  free_shared<<<1, 1>>>();
  begin_again();
  free_inside<<<1, 1>>>();
  begin_again();
  keep<<<1, 1>>>();
  int* from_kernel;
  cudaMemcpyFromSymbol(&from_kernel, kept, sizeof from_kernel);
  int value;
  cudaMemcpy(&value, from_kernel, sizeof value, cudaMemcpyDeviceToHost);
  cudaFree(from_kernel);
  return 0;
}
