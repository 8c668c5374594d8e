// covers: host | a kernel waits for one queued after it in the same stream: both are reported
// status: 86
// finding: Deadlock
// finding: After it, in the same stream, waits kernel produce(int*): it cannot begin.
// says: cudaErrorLaunchTimeout

#include <cuda/atomic>

#include <cstdio>

using flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void consume(int* box, int* out) {
  while (flag(box[0]).load(cuda::memory_order_acquire) == 0) {
  }
  *out = box[1];
}

__global__ void produce(int* box) {
  box[1] = 42;
  flag(box[0]).store(1, cuda::memory_order_release);
}

int main() {
  int *box, *out;
  cudaMalloc(&box, 2 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(box, 0, 2 * sizeof(int));
  cudaStream_t one;
  cudaStreamCreate(&one);
  cudaDeviceSynchronize();
  consume<<<1, 1, 0, one>>>(box, out);
  produce<<<1, 1, 0, one>>>(box);
  std::printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(one)));
}
