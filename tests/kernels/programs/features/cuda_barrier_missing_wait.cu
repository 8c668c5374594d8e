// covers: libcu++ | arriving at a cuda::barrier without waiting, then reading: a race, with its line
// status: 86
// finding: cuda_barrier_missing_wait.cu:18

#include <cooperative_groups.h>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void shift(const int* in, int* out) {
  __shared__ barrier everyone;
  __shared__ int tile[128];
  if (threadIdx.x == 0) init(&everyone, blockDim.x);
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  barrier::arrival_token token = everyone.arrive();
  out[threadIdx.x] = tile[(threadIdx.x + 32) % 128];  // written by another warp, which may not have arrived yet
  everyone.wait(std::move(token));
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 128 * sizeof(int));
  cudaMallocManaged(&out, 128 * sizeof(int));
  for (int i = 0; i < 128; ++i) in[i] = i;
  shift<<<1, 128>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
