// covers: libcu++ | cuda::atomic and cuda::atomic_ref: arithmetic, and a flag that passes data to another block

#include <cstdio>
#include <cuda/atomic>

__global__ void count(cuda::atomic<int, cuda::thread_scope_device>* counter, unsigned long long* plain, float* sum) {
  counter->fetch_add(2, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> reference(*plain);
  reference.fetch_max(threadIdx.x + blockIdx.x * 1000ull);
  cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_add(0.5f);
}

__global__ void hand_over(int* data, int* result, cuda::atomic<int, cuda::thread_scope_device>* ready) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    if (threadIdx.x == 0) ready->store(1, cuda::memory_order_release);
  } else {
    if (threadIdx.x == 0) {
      while (ready->load(cuda::memory_order_acquire) == 0) {
      }
    }
    __syncthreads();
    result[threadIdx.x] = data[threadIdx.x] + 1;
  }
}

int main() {
  cuda::atomic<int, cuda::thread_scope_device>*counter, *ready;
  unsigned long long* plain;
  float* sum;
  int *data, *result;
  cudaMallocManaged(&counter, sizeof *counter);
  cudaMallocManaged(&ready, sizeof *ready);
  cudaMallocManaged(&plain, sizeof *plain);
  cudaMallocManaged(&sum, sizeof *sum);
  cudaMallocManaged(&data, 64 * sizeof(int));
  cudaMallocManaged(&result, 64 * sizeof(int));
  counter->store(0);
  ready->store(0);
  *plain = 0;
  *sum = 0.0f;
  count<<<4, 64>>>(counter, plain, sum);
  hand_over<<<2, 64>>>(data, result, ready);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  for (int i = 0; i < 64; ++i) {
    if (result[i] != 3 * i + 1) return 1;
  }
  return counter->load() != 512 || *plain != 3063 || *sum != 128.0f;
}
