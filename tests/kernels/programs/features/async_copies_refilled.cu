// covers: device library | a pipeline stage that is refilled too early; accesses that race with a cp.async in flight
// status: 86
// finding: reads tile[63] in async_copies_refilled.cu:21 without waiting for thread 63, which writes it in line 17:
// finding: reads tile[63] in async_copies_refilled.cu:32 without waiting for thread 63, which writes it in line 29 by
// finding: no thread of the block has written it
// finding: writes tile[0] in async_copies_refilled.cu:43 without waiting for its own asynchronous copy of line 42
// finding: reads in[64] in async_copies_refilled.cu:53, and thread 32 of the same block writes it in line 56
// finding: while thread 63 already refills it in line 69, in the next iteration of the loop, by an asynchronous copy

#include <cuda_pipeline.h>

// The barrier after the read is missing, so a fast thread refills the tile while others still read it.
__global__ void refills(const int* in, int* out) {
  __shared__ int tile[64];
  int sum = 0;
  for (int t = 0; t < 4; ++t) {
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[64 * t + threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += tile[63 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

// There are two barriers, and threads read between them, but each thread waits for its copy only after that.
__global__ void reads_between_barriers(const int* in, int* out) {
  __shared__ int tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 31];
  __syncthreads();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] += tile[63 - threadIdx.x];
}

// The copy may arrive before or after the 0.
__global__ void clears_too_late(const int* in, int* out) {
  __shared__ int tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
  tile[threadIdx.x] = 0;
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// The copy's source changes before the thread has waited for the copy.
__global__ void source_changes(int* in, int* out) {
  __shared__ int tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[64 + threadIdx.x], sizeof(int));
  __pipeline_commit();
  __syncthreads();
  in[64 + (threadIdx.x + 32) % 64] = 0;
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// With two slots, the copy of the next iteration begins while other threads still read the elements that it replaces.
__global__ void refills_ahead(const int* in, int* out) {
  __shared__ int slots[2][64];
  __pipeline_memcpy_async(&slots[0][threadIdx.x], &in[threadIdx.x], sizeof(int));
  __pipeline_commit();
  int sum = 0;
  for (int t = 0; t < 4; ++t) {
    if (t < 3) __pipeline_memcpy_async(&slots[(t + 1) % 2][threadIdx.x], &in[64 * (t + 1) + threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += slots[t % 2][63 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 256 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  for (int i = 0; i < 256; ++i) in[i] = i;
  refills<<<1, 64>>>(in, out);
  reads_between_barriers<<<1, 64>>>(in, out);
  clears_too_late<<<1, 64>>>(in, out);
  source_changes<<<1, 64>>>(in, out);
  refills_ahead<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  return 0;
}
