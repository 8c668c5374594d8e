// Kernels whose costs are known: a tree over 128 ints with a strided index, and a copy with a stride of 32 bytes.
#include <cstdio>

__global__ void add_strided(const int* in, int* out) {
  __shared__ int tile[128];
  const unsigned tid = threadIdx.x;
  tile[tid] = in[blockIdx.x * 128 + tid];
  __syncthreads();
  for (unsigned stride = 1; stride < 128; stride *= 2) {
    const unsigned index = 2 * stride * tid;
    if (index < 128) tile[index] += tile[index + stride];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = tile[0];
}

__global__ void copy_strided(const int* in, int* out) {
  const unsigned i = threadIdx.x;
  out[i] = in[8 * i];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 128 * sizeof(int));
  cudaMemset(in, 0, 1024 * sizeof(int));
  add_strided<<<2, 128>>>(in, out);
  add_strided<<<8, 128>>>(in, out);
  copy_strided<<<1, 128>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
