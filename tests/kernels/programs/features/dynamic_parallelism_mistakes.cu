// covers: host | mistakes in kernels that launch kernels: out of bounds in the child, pointers it cannot access
// with: -rdc=true
// status: 86
// says: cudaErrorIllegalAddress
// says: cudaErrorLaunchFailure
// says: cudaErrorLaunchFailure
// finding: Out of bounds: thread 32 writes values[32] (threadIdx.x) in dynamic_parallelism_mistakes.cu:14
// finding: 21: thread 0: it launches a kernel with a pointer to its private memory
// finding: 25: thread 0: it launches a kernel with a pointer to its shared memory

#include <cstdio>

__global__ void count(int* values) {
  values[threadIdx.x] = threadIdx.x;
}
__global__ void too_many(int* values) {
  count<<<1, 64>>>(values);
}
__global__ void with_private_memory(int* values) {
  int own[32];
  count<<<1, 32>>>(own);
}
__global__ void with_shared_memory(int* values) {
  __shared__ int tile[32];
  count<<<1, 32>>>(tile);
}

void run(void (*kernel)(int*)) {
  int* values;
  cudaMalloc(&values, 32 * sizeof(int));
  kernel<<<1, 1>>>(values);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
}

int main() {
  run(too_many);
  run(with_private_memory);
  run(with_shared_memory);
}
