// covers: host | kernels that count polls, or have a barrier in each iteration, and wait for a kernel launched later
// status: 0
// says: counted: 1, met: 1, ended by itself: -1

#include <cstdio>

#include <cuda_runtime.h>

/// Polls `flag` up to `most` times, and stores in `found` whether it was set then.
__global__ void look(const volatile int* flag, int* found, unsigned most) {
  unsigned looks = 0;
  while (*flag == 0 && looks < most) ++looks;
  *found = *flag != 0 ? 1 : -1;
}

__global__ void meet(const volatile int* flag, int* found) {
  __shared__ int seen;
  do {
    if (threadIdx.x == 0) seen = *flag;
    __syncthreads();
    if (seen != 0) break;
    __syncthreads();
  } while (true);
  if (threadIdx.x == 0) *found = 1;
}

__global__ void set(volatile int* flag) {
  *flag = 1;
}

int main() {
  int *flag = nullptr, *found = nullptr;
  cudaMalloc(&flag, sizeof(int));
  cudaMalloc(&found, 3 * sizeof(int));
  cudaStream_t looking, meeting, setting;
  for (cudaStream_t* s : {&looking, &meeting, &setting}) cudaStreamCreateWithFlags(s, cudaStreamNonBlocking);
  cudaMemset(flag, 0, sizeof(int));
  cudaDeviceSynchronize();
  // The flag is never set. The loop ends by itself, so it isn't a deadlock.
  look<<<1, 1, 0, looking>>>(flag, found + 2, 10'000'000);
  cudaDeviceSynchronize();

  look<<<1, 1, 0, looking>>>(flag, found, 4'000'000'000);
  meet<<<1, 128, 0, meeting>>>(flag, found + 1);
  set<<<1, 1, 0, setting>>>(flag);
  cudaDeviceSynchronize();
  int host[3] = {};
  cudaMemcpy(host, found, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("counted: %d, met: %d, ended by itself: %d\n", host[0], host[1], host[2]);
  return 0;
}
