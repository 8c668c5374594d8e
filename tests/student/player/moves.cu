// Values that move between lanes, results of atomics, numbered barriers, and two blocks that write to the same place.
#include <cstdio>

template <typename T>
__global__ void shuffles(T* out) {
  T value = static_cast<T>(threadIdx.x) / 2;
  value += __shfl_down_sync(0xffffffffu, value, 8);
  out[threadIdx.x] = value;
}

__global__ void takes_tickets(int* counter, int* out) {
  if (threadIdx.x % 2 == 0) out[threadIdx.x] = atomicAdd(counter, 3);
}

__global__ void meets_by_number(int* out) {
  if (threadIdx.x < 32)
    asm volatile("barrier.cta.arrive 1, 64;");
  else
    asm volatile("barrier.cta.sync 1, 64;");
  out[threadIdx.x] = 1;
}

__global__ void meets_elsewhere(int* out) {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void writes_everywhere(int* out) {
  out[0] = blockIdx.x;
}

int main() {
  void* memory;
  cudaMalloc(&memory, 1024);
  cudaMemset(memory, 0, 1024);
  shuffles<<<1, 32>>>(static_cast<int*>(memory));
  shuffles<<<1, 32>>>(static_cast<float*>(memory));
  shuffles<<<1, 32>>>(static_cast<double*>(memory));
  cudaMemset(memory, 0, 1024);
  takes_tickets<<<1, 32>>>(static_cast<int*>(memory), static_cast<int*>(memory) + 1);
  meets_by_number<<<1, 64>>>(static_cast<int*>(memory));
  meets_elsewhere<<<1, 64>>>(static_cast<int*>(memory));
  writes_everywhere<<<4, 1>>>(static_cast<int*>(memory));
  return cudaDeviceSynchronize();
}
