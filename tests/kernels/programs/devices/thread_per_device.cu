// covers: devices | a host thread for each device, whose kernels wait for each other, whichever thread is first
// gpus: 3
// status: 0
// says: 3 3 3

#include <cuda/atomic>

#include <cstdio>
#include <thread>
#include <vector>

using flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void meet(int* arrived, int devices, int* seen) {
  flag(*arrived).fetch_add(1);
  int all = 0;
  while ((all = flag(*arrived).load()) < devices) {
  }
  *seen = all;
}

int main() {
  int *arrived, seen[3] = {};
  cudaMalloc(&arrived, sizeof(int));
  cudaMemset(arrived, 0, sizeof(int));
  cudaDeviceSynchronize();
  std::vector<std::thread> threads;
  for (int d = 0; d < 3; ++d) {
    threads.emplace_back([=, &seen] {
      cudaSetDevice(d);
      if (d != 0) cudaDeviceEnablePeerAccess(0, 0);
      int* own;
      cudaMalloc(&own, sizeof(int));
      meet<<<1, 1>>>(arrived, 3, own);
      cudaMemcpy(&seen[d], own, sizeof(int), cudaMemcpyDeviceToHost);
    });
  }
  for (std::thread& t : threads) t.join();
  std::printf("%d %d %d\n", seen[0], seen[1], seen[2]);
}
