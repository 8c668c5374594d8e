// A sum in shared memory without the barrier between the writes of the tile and the reads of it.

__global__ void block_sum(const int* in, int* out) {
  __shared__ int tile[128];
  const unsigned tid = threadIdx.x;
  tile[tid] = in[tid];
  for (unsigned stride = 64; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();
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
}
