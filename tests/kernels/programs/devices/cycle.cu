// covers: devices | three kernels on three devices wait for each other in a cycle: a deadlock that lists all of them
// gpus: 3
// status: 86
// finding: block 0 waits in cycle.cu:18 for flags[1]
// finding: block 0 waits in cycle.cu:18 for flags[2]
// finding: block 0 waits in cycle.cu:18 for flags[0]
// finding: These wait as well: kernel pass_on(int*, int, int) on device 1, kernel pass_on(int*, int, int) on device 2.
// says: cudaErrorLaunchTimeout

#include <cuda/atomic>

#include <cstdio>

using flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void pass_on(int* flags, int from, int to) {
  // No kernel gets past this loop, because each waits for another one first.
  while (flag(flags[from]).load(cuda::memory_order_acquire) == 0) {
  }
  flag(flags[to]).store(1, cuda::memory_order_release);
}

int main() {
  int* flags;
  cudaMalloc(&flags, 3 * sizeof(int));
  cudaMemset(flags, 0, 3 * sizeof(int));
  cudaDeviceSynchronize();
  for (int d = 0; d < 3; ++d) {
    cudaSetDevice(d);
    if (d != 0) cudaDeviceEnablePeerAccess(0, 0);
    pass_on<<<1, 1>>>(flags, (d + 1) % 3, d);
  }
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
