// covers: device library | without a wait for cp.async before the barrier, the read is too early: a race, with its line
// status: 86
// finding: reads tile[31] in async_copies_missing_wait.cu:14, but no thread of the block has written it
// (Other elements, such as tile[0], are read too early because of the same mistake, which is reported once.)
// finding: reads tile[31] in async_copies_missing_wait.cu:14 without waiting for thread 31, which writes it in line 11

#include <cuda_pipeline.h>

__global__ void reverse(const int* in, int* out) {
  __shared__ int tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __syncthreads();  // __pipeline_wait_prior(0) is missing before it
  out[threadIdx.x] = tile[63 - threadIdx.x];
  __pipeline_wait_prior(0);
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) in[i] = i;
  reverse<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  return 0;
}
