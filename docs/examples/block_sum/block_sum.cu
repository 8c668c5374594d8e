// One block adds up 128 numbers in shared memory.
#include <cstdio>

__global__ void block_sum(const int* in, int* out) {
  __shared__ int tile[128];
  const unsigned tid = threadIdx.x;
  tile[tid] = in[tid];
  __syncthreads();  // every element is in the tile before any thread reads another's
  for (unsigned stride = 64; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();  // this step's sums are there before the next step reads them
  }
  if (tid == 0) *out = tile[0];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 128 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 128; ++i) in[i] = i;
  block_sum<<<1, 128>>>(in, out);
  cudaDeviceSynchronize();
  printf("the sum is %d\n", *out);
}
