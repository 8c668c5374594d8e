// covers: device library | cp.async through __pipeline_memcpy_async and cuda::pipeline, with two alternating tiles
//
// Each of four warps makes one copy per tile, which loads from global memory, and one load from shared memory: 7 * 4.
// count: sum_primitives | global load requests | 28
// count: sum_primitives | shared loads | 28
// count: sum_primitives | shared stores | 0

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cstdio>
#include <cuda/pipeline>

const int TILE = 128;

__global__ void sum_primitives(const float* in, int tiles, float* out) {
  __shared__ float tile[2][TILE];
  float sum = 0;
  __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], sizeof(float));
  __pipeline_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles)
      __pipeline_memcpy_async(&tile[(t + 1) % 2][threadIdx.x], &in[(t + 1) * TILE + threadIdx.x], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[t % 2][TILE - 1 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void sum_pipeline(const float* in, int tiles, float* out) {
  namespace cg = cooperative_groups;
  cg::thread_block block = cg::this_thread_block();
  __shared__ float tile[2][TILE];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  float sum = 0;
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], sizeof(float), pipe);
  pipe.producer_commit();
  for (int t = 0; t < tiles; ++t) {
    pipe.producer_acquire();
    if (t + 1 < tiles)
      cuda::memcpy_async(&tile[(t + 1) % 2][threadIdx.x], &in[(t + 1) * TILE + threadIdx.x], sizeof(float), pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    block.sync();
    sum += tile[t % 2][TILE - 1 - threadIdx.x];
    block.sync();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

int main() {
  const int tiles = 7;
  float *in, *out;
  cudaMallocManaged(&in, tiles * TILE * sizeof(float));
  cudaMallocManaged(&out, 2 * TILE * sizeof(float));
  for (int i = 0; i < tiles * TILE; ++i) in[i] = static_cast<float>(i % 23 - 9);
  sum_primitives<<<1, TILE>>>(in, tiles, out);
  sum_pipeline<<<1, TILE>>>(in, tiles, out + TILE);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int t = 0; t < TILE; ++t) {
    float expected = 0;
    for (int k = 0; k < tiles; ++k) expected += in[k * TILE + TILE - 1 - t];
    if (out[t] != expected || out[TILE + t] != expected) {
      std::printf("thread %d: %g and %g, not %g\n", t, out[t], out[TILE + t], expected);
      return 1;
    }
  }
  cudaFree(in);
  cudaFree(out);
  return 0;
}
