// The lanes of a warp wait for lane 0, which waits for them.

__global__ void broadcast(int* values) {
  int value = values[threadIdx.x];
  if (threadIdx.x == 0)
    __syncthreads();
  else
    value = __shfl_sync(0xffffffff, value, 0);
  values[threadIdx.x] = value;
}

int main() {
  int* values;
  cudaMallocManaged(&values, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) values[i] = i;
  broadcast<<<1, 64>>>(values);
  cudaDeviceSynchronize();
}
