// covers: functions | cudaLimitStackSize: a recursion that is too deep for the default stack but fits on a larger one
// status: 86
// finding: a stack of 1048576 bytes is requested, no thread may have more than 524288

#include <cstdio>

// 400 frames with an array of 64 bytes each need at least 25 KiB.
__device__ int deeper(int n, const int* in) {
  int own[16];
  for (int k = 0; k < 16; ++k) own[k] = in[(n + k) & 31];
  if (n == 0) return own[in[0] & 15];
  return deeper(n - 1, in) + own[in[n & 31] & 15];
}

__global__ void run(const int* in, int* out) {
  out[threadIdx.x] = deeper(400, in);
}

int main() {
  int* in;
  int* out;
  cudaMallocManaged(&in, 32 * sizeof(int));
  cudaMallocManaged(&out, 32 * sizeof(int));
  for (int k = 0; k < 32; ++k) in[k] = k % 5;

  size_t limit = 0;
  if (cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20) == cudaSuccess) return 1;  // no thread may have a megabyte
  cudaGetLastError();
  if (cudaDeviceSetLimit(cudaLimitStackSize, 96 * 1024) != cudaSuccess) return 1;
  if (cudaDeviceGetLimit(&limit, cudaLimitStackSize) != cudaSuccess || limit < 96 * 1024) return 1;
  run<<<1, 32>>>(in, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;

  int expected = 0;
  for (int n = 0; n <= 400; ++n) expected += in[(n + (in[n & 31] & 15)) & 31];
  for (int t = 0; t < 32; ++t) {
    if (out[t] != expected) {
      std::printf("%d: %d instead of %d\n", t, out[t], expected);
      return 1;
    }
  }
  return 0;
}
