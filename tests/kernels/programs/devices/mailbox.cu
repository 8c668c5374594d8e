// covers: devices | a message for a kernel of another device: sent before, later, or never, which is a deadlock
// gpus: 2
// status: 86
// finding: wait
// says: letter 7
// says: again 7

#include <cuda/atomic>

#include <cstdio>

using flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void send(int* box) {
  box[1] = 7;
  flag(box[0]).store(1, cuda::memory_order_release);
}

__global__ void receive(int* box, int* letter) {
  while (flag(box[0]).load(cuda::memory_order_acquire) == 0) {
  }
  *letter = box[1];
}

int main() {
  int *box, *letter, host = 0;
  cudaSetDevice(0);
  cudaMalloc(&box, 2 * sizeof(int));
  cudaMalloc(&letter, sizeof(int));
  cudaMemset(box, 0, 2 * sizeof(int));
  cudaDeviceSynchronize();
  cudaSetDevice(1);
  cudaDeviceEnablePeerAccess(0, 0);
  // If the sender is launched first, the receiver finds the letter at once.
  send<<<1, 1>>>(box);
  cudaSetDevice(0);
  receive<<<1, 1>>>(box, letter);
  cudaMemcpy(&host, letter, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("letter %d\n", host);
  // The host waits for the sender itself, because communication between two kernels orders no later call.
  cudaSetDevice(1);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  // If the receiver is launched first, it waits.
  cudaMemset(box, 0, 2 * sizeof(int));
  cudaMemset(letter, 0, sizeof(int));
  cudaDeviceSynchronize();
  receive<<<1, 1>>>(box, letter);
  cudaSetDevice(1);
  send<<<1, 1>>>(box);
  cudaSetDevice(0);
  cudaMemcpy(&host, letter, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("again %d\n", host);
  cudaSetDevice(1);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  // Nothing is sent.
  cudaMemset(box, 0, 2 * sizeof(int));
  cudaDeviceSynchronize();
  receive<<<1, 1>>>(box, letter);
  cudaDeviceSynchronize();
}
