// covers: libcu++ | cuda::barrier in shared memory: arrive, wait, and a second phase

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
  int own = in[threadIdx.x] * 100;
  everyone.wait(std::move(token));
  int neighbour = tile[(threadIdx.x + 1) % 128];
  everyone.arrive_and_wait();
  tile[threadIdx.x] = own + neighbour;
  everyone.arrive_and_wait();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 128 * sizeof(int));
  cudaMallocManaged(&out, 128 * sizeof(int));
  for (int i = 0; i < 128; ++i) in[i] = i;
  shift<<<1, 128>>>(in, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  for (int i = 0; i < 128; ++i) {
    int from = 127 - i;
    if (out[i] != from * 100 + (from + 1) % 128) return 1;
  }
  return 0;
}
