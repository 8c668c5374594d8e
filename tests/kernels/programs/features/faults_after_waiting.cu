// covers: host | a kernel that waited for another one writes out of bounds: its line; work queued after it is lost
// status: 86
// finding: faults_after_waiting.cu:16
// finding: Out of bounds: thread 0 writes out[42]
// says: cudaErrorIllegalAddress

#include <cuda/atomic>

#include <cstdio>

using flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void consume(int* box, int* out) {
  while (flag(box[0]).load(cuda::memory_order_acquire) == 0) {
  }
  out[box[1]] = 1;
}

__global__ void produce(int* box) {
  box[1] = 42;
  flag(box[0]).store(1, cuda::memory_order_release);
}

int main() {
  int *box, *out;
  cudaMalloc(&box, 2 * sizeof(int));
  cudaMalloc(&out, 8 * sizeof(int));
  cudaMemset(box, 0, 2 * sizeof(int));
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  consume<<<1, 1, 0, first>>>(box, out);
  cudaMemsetAsync(out, 0, 4, first);
  produce<<<1, 1, 0, second>>>(box);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
