// covers: device library | cooperative groups' memcpy_async, and a cuda::pipeline that is shared by the whole block

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cstdio>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

const int N = 128;

__global__ void reverse_by_group(const int* in, int* out) {
  __shared__ int tile[N];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof tile);
  cg::wait(block);
  out[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

__global__ void reverse_by_pipeline(const int* in, int* out) {
  __shared__ int tile[N];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
  cuda::memcpy_async(block, tile, in, sizeof tile, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[threadIdx.x] = tile[N - 1 - threadIdx.x];
  pipe.consumer_release();
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, N * sizeof(int));
  cudaMallocManaged(&out, 2 * N * sizeof(int));
  for (int i = 0; i < N; ++i) in[i] = i * i;
  reverse_by_group<<<1, N>>>(in, out);
  reverse_by_pipeline<<<1, N>>>(in, out + N);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < N; ++i) {
    if (out[i] != in[N - 1 - i] || out[N + i] != in[N - 1 - i]) {
      std::printf("%d: %d and %d\n", i, out[i], out[N + i]);
      return 1;
    }
  }
  cudaFree(in);
  cudaFree(out);
  return 0;
}
