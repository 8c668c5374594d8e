// The barrier of each step is inside the condition of the step.

__global__ void block_sum(const int* in, int* out) {
  __shared__ int tile[64];
  const unsigned tid = threadIdx.x;
  tile[tid] = in[tid];
  __syncthreads();
  for (unsigned stride = 32; stride > 0; stride /= 2) {
    if (tid < stride) {
      tile[tid] += tile[tid + stride];
      __syncthreads();
    }
  }
  if (tid == 0) *out = tile[0];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 64; ++i) in[i] = i;
  block_sum<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
}
