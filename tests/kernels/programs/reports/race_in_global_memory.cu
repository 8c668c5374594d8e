// Each block writes its result to the same place.

__global__ void count_even(const int* in, int* count) {
  const int even = __syncthreads_count(in[blockIdx.x * blockDim.x + threadIdx.x] % 2 == 0);
  if (threadIdx.x == 0) *count += even;
}

int main() {
  int *in, *count;
  cudaMallocManaged(&in, 256 * sizeof(int));
  cudaMallocManaged(&count, sizeof(int));
  for (int i = 0; i < 256; ++i) in[i] = i;
  *count = 0;
  count_even<<<4, 64>>>(in, count);
  cudaDeviceSynchronize();
}
