// covers: devices | kernels of several devices wait for each other's messages, in any order of launches
// gpus: 4
// status: 0
// says: 600 724
// says: three calls, four devices

#include <cuda/atomic>

#include <cstdio>

using box = cuda::atomic_ref<unsigned long long, cuda::thread_scope_system>;
constexpr int most = 8;

struct boxes {
  unsigned long long* at[most];
};

// Each value is sent in one word with the number of the call, so no fence is needed.
__global__ void exchange(boxes all, int me, int devices, int* sums, unsigned call) {
  const int i = threadIdx.x;
  for (int d = 0; d < devices; ++d) {
    const unsigned long long value = me * 100 + i;
    box(all.at[d][me * 32 + i]).store(value << 32 | call, cuda::memory_order_relaxed);
  }
  int sum = 0;
  for (int d = 0; d < devices; ++d) {
    unsigned long long letter = 0;
    while (static_cast<unsigned>(letter) != call) letter = box(all.at[me][d * 32 + i]).load(cuda::memory_order_relaxed);
    sum += static_cast<int>(letter >> 32);
  }
  sums[i] = sum;
}

int main() {
  int devices = 0;
  cudaGetDeviceCount(&devices);
  boxes all{};
  int *sums[most], host[32];
  cudaStream_t streams[most];
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    for (int other = 0; other < devices; ++other)
      if (other != d) cudaDeviceEnablePeerAccess(other, 0);
    cudaMalloc(&all.at[d], devices * 32 * 8);
    cudaMemset(all.at[d], 0, devices * 32 * 8);
    cudaMalloc(&sums[d], sizeof host);
    cudaStreamCreate(&streams[d]);
    cudaDeviceSynchronize();
  }
  // In each call, every kernel but the last has to wait for one that is launched later.
  for (unsigned call = 1; call <= 3; ++call) {
    for (int d = 0; d < devices; ++d) {
      cudaSetDevice(d);
      exchange<<<1, 32, 0, streams[d]>>>(all, d, devices, sums[d], call);
    }
    for (int d = 0; d < devices; ++d) {
      cudaSetDevice(d);
      cudaStreamSynchronize(streams[d]);
    }
  }
  for (int d = 0; d < devices; ++d) {
    cudaMemcpy(host, sums[d], sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", host[0], host[31]);
  }
  std::printf("three calls, four devices\n");
}
