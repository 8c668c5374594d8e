// Threads without an element leave their place in the tile as it is.

__global__ void block_sum(const int* in, int* out, unsigned n) {
  __shared__ int tile[64];
  const unsigned tid = threadIdx.x;
  if (tid < n) tile[tid] = in[tid];
  __syncthreads();
  for (unsigned stride = 32; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();
  }
  if (tid == 0) *out = tile[0];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 50 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 50; ++i) in[i] = i;
  block_sum<<<1, 64>>>(in, out, 50);
  cudaDeviceSynchronize();
}
